"""A server made with the Python package mcp 2.x: srv_py2.py [PORT]"""

import sys

from mcp.server.mcpserver import MCPServer

server = MCPServer("py2-peer")


@server.tool()
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


if len(sys.argv) > 1:
    server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[1]))
else:
    server.run()
