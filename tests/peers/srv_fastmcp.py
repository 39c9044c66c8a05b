"""A server made with FastMCP."""

from fastmcp import FastMCP

server = FastMCP("fastmcp-peer")


@server.tool()
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


server.run()
