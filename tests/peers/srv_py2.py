"""A server made with the Python package mcp 2.x."""

from mcp.server.mcpserver import MCPServer

server = MCPServer("py2-peer")


@server.tool()
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


server.run()
