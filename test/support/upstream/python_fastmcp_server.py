"""A server of the FastMCP framework: something to call, to read and to prompt with."""
from fastmcp import FastMCP

mcp = FastMCP("python-fastmcp")


@mcp.tool()
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


@mcp.resource("note://one")
def note() -> str:
    """One note."""
    return "what it says"


@mcp.prompt()
def greet(who: str) -> str:
    """Greets somebody."""
    return f"Hello {who}"


if __name__ == "__main__":
    mcp.run(show_banner=False)
