"""The example server through the Python SDK 1.x: the handshake only.
usage: client1.py (stdio COMMAND | http URL)"""
import sys

import anyio
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client
from mcp.types import ElicitResult


async def decide(context, params):
    assert "erase (native)" in params.message, params.message
    return ElicitResult(action="accept", content={"decision": "approve"})


async def talk(reader, writer):
    async with ClientSession(reader, writer, elicitation_callback=decide) as session:
        assert (await session.initialize()).protocolVersion == "2025-11-25"
        tools = [tool.name for tool in (await session.list_tools()).tools]
        assert tools == ["echo", "add", "erase", "count", "picture"], tools
        added = await session.call_tool("add", {"a": 2, "b": 3})
        assert added.structuredContent == {"sum": 5}, added
        bad = await session.call_tool("echo", {"text": 1})
        assert bad.isError and "not valid" in bad.content[0].text, bad
        reports = []

        async def report(done, total, message):
            reports.append((done, total))

        await session.call_tool("count", {"to": 3}, progress_callback=report)
        assert reports == [(1, 3), (2, 3), (3, 3)], reports
        erased = await session.call_tool("erase", {"name": "x"})
        assert erased.content[0].text == "erased x", erased


async def main():
    kind, where = sys.argv[1:]
    if kind == "http":
        async with streamablehttp_client(where) as (reader, writer, _):
            await talk(reader, writer)
    else:
        async with stdio_client(StdioServerParameters(command=where)) as (reader, writer):
            await talk(reader, writer)


anyio.run(main)
