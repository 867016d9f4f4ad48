"""FastMCP's proxy in front of the same upstream: `fastmcp_proxy.py <port> stdio <node> <script>` or `... http <url>`."""
import sys

from fastmcp.client.transports import StdioTransport
from fastmcp.server import create_proxy

port, kind, target, *rest = sys.argv[1:]
proxy = create_proxy(target if kind == "http" else StdioTransport(target, rest), name="proxy")
proxy.run(transport="http", host="127.0.0.1", port=int(port), path="/mcp", show_banner=False, log_level="error")
