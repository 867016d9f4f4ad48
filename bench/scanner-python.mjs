// Realistic Python: a package of a few hundred kilobytes with types, clients, models and texts, most of it unreachable
// from tools, and a server with some tools that call through three layers of it.

const service = (n) => `"""Talks to the part of the service that keeps records of kind ${n}."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any, Optional

from .errors import ServiceError
from .http import Client

logger = logging.getLogger(__name__)

DEFAULT_LIMIT = 50
FIELDS = ["id", "name", "state", "owner", "created_at", "updated_at"]


@dataclass
class Record${n}:
    """One record as the service returns it."""

    id: str
    name: str
    state: str = "open"
    tags: list[str] = field(default_factory=list)
    owner: Optional[str] = None
    created_at: datetime | None = None

    @classmethod
    def from_api(cls, data: dict[str, Any]) -> "Record${n}":
        created = data.get("created_at")
        return cls(
            id=str(data["id"]),
            name=data.get("name", ""),
            state=data.get("state", "open"),
            tags=[tag["name"] for tag in data.get("tags", []) if tag.get("name")],
            owner=(data.get("owner") or {}).get("login"),
            created_at=datetime.fromisoformat(created) if created else None,
        )

    def to_dict(self) -> dict[str, Any]:
        made = {"id": self.id, "name": self.name, "state": self.state, "tags": self.tags}
        if self.owner is not None:
            made["owner"] = self.owner
        if self.created_at is not None:
            made["created_at"] = self.created_at.astimezone(timezone.utc).isoformat()
        return made


class Service${n}:
    """Finds, reads and changes records of kind ${n}."""

    def __init__(self, client: Client, project: str | None = None) -> None:
        self.client = client
        self.project = project
        self._cache: dict[str, Record${n}] = {}

    def _path(self, *parts: str) -> str:
        return "/".join(["kind-${n}", *(self.client.quote(part) for part in parts)])

    async def find(self, query: str, limit: int = DEFAULT_LIMIT, *, state: str | None = None) -> list[Record${n}]:
        """Finds records whose name holds the text of a query."""
        if limit < 1 or limit > 500:
            raise ServiceError(f"limit must be between 1 and 500, not {limit}")
        params: dict[str, Any] = {"q": query, "per_page": limit, "fields": ",".join(FIELDS)}
        if state:
            params["state"] = state
        if self.project:
            params["project"] = self.project
        found: list[Record${n}] = []
        page = 1
        while len(found) < limit:
            answer = await self.client.get(self._path("search"), params={**params, "page": page})
            items = answer.get("items") or []
            for item in items:
                try:
                    record = Record${n}.from_api(item)
                except (KeyError, ValueError) as error:
                    logger.warning("record left out: %s", error)
                    continue
                self._cache[record.id] = record
                found.append(record)
            if len(items) < limit:
                break
            page += 1
        return found[:limit]

    async def read(self, record_id: str) -> Record${n}:
        """Reads one record, from the cache where it is there."""
        known = self._cache.get(record_id)
        if known is not None:
            return known
        answer = await self.client.get(self._path(record_id))
        record = Record${n}.from_api(answer)
        self._cache[record_id] = record
        return record

    async def change(self, record_id: str, **changes: Any) -> Record${n}:
        """Changes what is given and leaves everything else as it is."""
        allowed = {key: value for key, value in changes.items() if key in FIELDS and value is not None}
        if not allowed:
            raise ServiceError("nothing to change")
        answer = await self.client.patch(self._path(record_id), body=json.dumps(allowed, sort_keys=True))
        self._cache.pop(record_id, None)
        return Record${n}.from_api(answer)

    def describe(self, record: Record${n}) -> str:
        lines = [f"# {record.name}", "", f"State: {record.state}"]
        if record.tags:
            lines.append("Tags: " + ", ".join(sorted(record.tags)))
        for key, value in record.to_dict().items():
            if key not in ("name", "state", "tags"):
                lines.append(f"- **{key}**: {value}")
        return "\\n".join(lines)
`;

const http = `import os
from typing import Any
from urllib.parse import quote

import httpx

from .errors import ServiceError

BASE = os.environ.get("SERVICE_URL", "https://service.example/api")


class Client:
    """Sends requests and turns answers into data or errors."""

    def __init__(self, token: str | None = None) -> None:
        self.token = token or os.environ.get("SERVICE_TOKEN", "")
        self.http = httpx.AsyncClient(base_url=BASE, timeout=30.0)

    def quote(self, part: str) -> str:
        return quote(str(part), safe="")

    def headers(self) -> dict[str, str]:
        made = {"accept": "application/json"}
        if self.token:
            made["authorization"] = f"Bearer {self.token}"
        return made

    async def send(self, method: str, path: str, **options: Any) -> Any:
        try:
            answer = await self.http.request(method, path, headers=self.headers(), **options)
        except httpx.HTTPError as error:
            raise ServiceError(f"no answer: {error}") from error
        if answer.status_code >= 400:
            raise ServiceError(f"{answer.status_code}: {answer.text[:200]}")
        return answer.json()

    async def get(self, path: str, params: dict[str, Any] | None = None) -> Any:
        return await self.send("GET", path, params=params)

    async def patch(self, path: str, body: str) -> Any:
        return await self.send("PATCH", path, content=body)
`;

const tools = (n) => `

@mcp.tool()
async def find_records_${n}(query: str, limit: int = 20, state: Optional[str] = None) -> str:
    """Finds records of kind ${n}.

    Args:
        query: The text to look for.
        limit: How many to return.
        state: Only those in this state.
    """
    try:
        service = Service${n}(get_client())
        records = await service.find(query, limit, state=state)
        return "\\n\\n".join(service.describe(record) for record in records) or "Nothing was found"
    except ServiceError as error:
        return failure(error)


@mcp.tool()
async def change_record_${n}(record_id: str, name: Optional[str] = None, state: Literal["open", "closed"] = "open") -> dict:
    """Changes a record of kind ${n}."""
    service = Service${n}(get_client())
    before = await service.read(record_id)
    after = await service.change(record_id, name=name or before.name, state=state)
    return {"before": before.to_dict(), "after": after.to_dict()}
`;

const server = (kinds) => `from typing import Literal, Optional

from mcp.server.fastmcp import FastMCP

from .errors import ServiceError
from .http import Client
${Array.from({ length: kinds }, (_, n) => `from .service_${n} import Service${n}\n`).join('')}
mcp = FastMCP("records")
_client: Optional[Client] = None


def get_client() -> Client:
    global _client
    if _client is None:
        _client = Client()
    return _client


def failure(error: Exception) -> str:
    return f"Error: {error}"
${Array.from({ length: kinds }, (_, n) => tools(n)).join('')}

def main() -> None:
    mcp.run()


if __name__ == "__main__":
    main()
`;

/** The files of one package: `kinds` services with two tools each, and three times as many that no tool uses. */
export function pythonPackage(kinds) {
  const files = new Map([
    [
      'pyproject.toml',
      '[project]\nname = "records"\nversion = "1.0.0"\n[project.scripts]\nrecords = "records.server:main"\n',
    ],
    ['records/__init__.py', ''],
    ['records/errors.py', 'class ServiceError(Exception):\n    """What the service could not do."""\n'],
    ['records/http.py', http],
    ['records/server.py', server(kinds)],
  ]);
  for (let n = 0; n < kinds * 4; n += 1) files.set(`records/service_${n}.py`, service(n));
  return files;
}
