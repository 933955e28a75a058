"""A server with the MCP SDK from PyPI, for interop/mcp: `mcp_server.py stdio|streamable-http|sse [PORT]`."""
import asyncio
import os
import sys

from mcp.server import MCPServer
from mcp.types import AudioContent, CallToolResult, EmbeddedResource, ImageContent, ResourceLink, TextContent, TextResourceContents

PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

server = MCPServer("proof", instructions="Use the tools of this server for proofs.")


@server.tool(structured_output=False)
def text(words: str) -> str:
    """Says the words."""
    return f"said: {words}"


@server.tool()
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


@server.tool(structured_output=False)
def mixed() -> CallToolResult:
    """Returns every kind of content."""
    return CallToolResult(content=[
        TextContent(type="text", text="words"),
        ImageContent(type="image", data=PICTURE, mime_type="image/png"),
        EmbeddedResource(type="resource", resource=TextResourceContents(uri="mem://a", text="alpha", mime_type="text/plain")),
        ResourceLink(type="resource_link", name="link", uri="mem://b", description="about b"),
    ])


@server.tool(structured_output=False)
def sound() -> CallToolResult:
    """Returns audio."""
    return CallToolResult(content=[AudioContent(type="audio", data="UklGRg==", mime_type="audio/wav")])


@server.tool(structured_output=False)
def nothing() -> CallToolResult:
    """Returns nothing."""
    return CallToolResult(content=[])


@server.tool(structured_output=False)
def fail() -> CallToolResult:
    """Fails."""
    return CallToolResult(content=[TextContent(type="text", text="one"), TextContent(type="text", text="two")], is_error=True)


@server.tool(structured_output=False)
def large() -> str:
    """Returns too much."""
    return "0123456789" * 20_000


@server.tool(structured_output=False)
async def slow() -> str:
    """Takes its time."""
    await asyncio.sleep(20)
    return "late"


@server.tool(structured_output=False)
def die() -> str:
    """Dies, once."""
    mark = os.environ["MARK"]
    if not os.path.exists(mark):
        open(mark, "w").close()
        os._exit(3)
    return "alive again"


@server.tool(structured_output=False)
def environment() -> str:
    """Returns which keys the server sees."""
    return ",".join(sorted(name for name in os.environ if name.endswith("_KEY")))


@server.prompt()
def greet(who: str) -> str:
    """Greets."""
    return f"Please greet {who}. @@text@@"


@server.resource("mem://note")
def note() -> str:
    """A note."""
    return "the note"


if __name__ == "__main__":
    transport = sys.argv[1]
    if transport == "stdio":
        server.run("stdio")
    else:
        server.run(transport, host="127.0.0.1", port=int(sys.argv[2]))
