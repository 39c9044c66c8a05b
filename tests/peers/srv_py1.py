"""A server made with the Python package mcp 1.x."""

from mcp.server.fastmcp import FastMCP

server = FastMCP("py1-peer")


@server.tool()
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


server.run()
