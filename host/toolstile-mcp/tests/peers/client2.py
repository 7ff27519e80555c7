"""The example server through the Python SDK 2.x.
usage: client2.py auto|legacy|2026-07-28 (stdio COMMAND | http URL)"""
import sys

import anyio
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import ElicitResult


async def decide(context, params):
    assert "erase (native)" in params.message, params.message
    return ElicitResult(action="accept", content={"decision": "approve"})


async def main():
    mode, kind, where = sys.argv[1:]
    target = where if kind == "http" else stdio_client(StdioServerParameters(command=where))
    async with Client(target, mode=mode, elicitation_callback=decide) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert list(tools) == ["echo", "add", "erase", "count", "picture"], list(tools)
        added = await client.call_tool("add", {"a": 2, "b": 3})
        assert added.structured_content == {"sum": 5}, added
        bad = await client.call_tool("echo", {"text": 1})
        assert bad.is_error and "not valid" in bad.content[0].text, bad
        picture = await client.call_tool("picture", {})
        assert [block.type for block in picture.content] == ["text", "image"], picture
        erased = await client.call_tool("erase", {"name": "x"})
        assert erased.content[0].text == "erased x", erased
        try:
            await client.call_tool("nope", {})
            raise AssertionError("an unknown tool was called")
        except Exception as error:
            assert "there is no tool" in str(error), error


anyio.run(main)
