"""The tools of the plugin beside this file, as a server of the official Python SDK."""

import os

from mcp.server.mcpserver import MCPServer

server = MCPServer("echo")


@server.tool()
def echo(text: str) -> str:
    """Answers what it is given."""
    return text


@server.tool()
def crash() -> str:
    """Ends without a word, as native code does that goes wrong."""
    os.abort()


@server.tool()
def take_memory() -> str:
    """Takes memory without end."""
    taken = []
    while True:
        taken.append(b"1" * (1 << 20))


@server.tool()
def run_forever() -> str:
    """Never answers."""
    while True:
        pass


server.run("stdio")
