"""The official Python client: `python_mcp.py <auto|legacy|2026-07-28> <url | path of a stdio server>`."""
import asyncio
import json
import sys

import httpx2
from mcp import Client, MCPError, StdioServerParameters, types
from mcp.client.streamable_http import streamable_http_client


def target(where):
    if not where.startswith("http"):
        return StdioServerParameters(command="node", args=[where, "stdio"])
    client = httpx2.AsyncClient(headers={"Authorization": "Bearer test-token-1"}, timeout=30)
    return streamable_http_client(where, http_client=client)


async def agree(context, params):
    return types.ElicitResult(action="accept", content={"ok": True})


async def main(mode, where):
    progress = []

    async def step(value, total, message):
        progress.append(value)

    async with Client(target(where), mode=mode, elicitation_callback=agree) as client:
        unknown = "found"
        try:
            await client.call_tool("nothing", {})
        except MCPError as error:
            unknown = error.error.code
        outcome = {
            "era": client.protocol_version,
            "tools": [tool.name for tool in (await client.list_tools()).tools],
            "echo": (await client.call_tool("echo", {"text": "héllo"})).content[0].text,
            "sum": (await client.call_tool("sum", {"a": 1, "b": 2})).structured_content,
            "steps": (await client.call_tool("steps", {}, progress_callback=step)).content[0].text,
            "ask": (await client.call_tool("ask", {})).content[0].text,
            "fail": (await client.call_tool("fail", {})).is_error,
            "unknown": unknown,
            "prompt": (await client.get_prompt("greet", {"who": "you"})).messages[0].content.text,
            "resource": (await client.read_resource("test://a")).contents[0].text,
            "progress": progress[:2],
        }
        print(json.dumps(outcome))


asyncio.run(main(sys.argv[1], sys.argv[2]))
