"""The FastMCP client: `python_fastmcp.py <auto|legacy|2026-07-28> <url | path of a stdio server>`."""
import asyncio
import json
import sys

from fastmcp import Client
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport


def target(where):
    if not where.startswith("http"):
        return StdioTransport(command="node", args=[where, "stdio"])
    return StreamableHttpTransport(where, headers={"Authorization": "Bearer test-token-1"})


async def agree(message, response_type, params, context):
    return {"ok": True}


async def main(mode, where):
    progress = []

    async def step(value, total, message):
        progress.append(value)

    async with Client(target(where), mode=mode, elicitation_handler=agree) as client:
        unknown = "found"
        try:
            await client.call_tool("nothing", {})
        except Exception as error:
            unknown = getattr(getattr(error, "error", None), "code", type(error).__name__)
        outcome = {
            "era": client.protocol_version,
            "tools": [tool.name for tool in await client.list_tools()],
            "echo": (await client.call_tool("echo", {"text": "héllo"})).content[0].text,
            "sum": (await client.call_tool("sum", {"a": 1, "b": 2})).structured_content,
            "steps": (await client.call_tool("steps", {}, progress_handler=step)).content[0].text,
            "ask": (await client.call_tool("ask", {})).content[0].text,
            "fail": (await client.call_tool("fail", {}, raise_on_error=False)).is_error,
            "unknown": unknown,
            "prompt": (await client.get_prompt("greet", {"who": "you"})).messages[0].content.text,
            "resource": (await client.read_resource("test://a"))[0].text,
            "progress": progress[:2],
        }
        print(json.dumps(outcome))


asyncio.run(main(sys.argv[1], sys.argv[2]))
