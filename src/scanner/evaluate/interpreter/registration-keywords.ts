/** Whether source text mentions an MCP registration; other code is evaluated within a small budget only. */
export const mentionsRegistration = (text: string): boolean =>
  /registerTool|registerResource|registerPrompt|registerAppTool|setRequestHandler|addTool|McpServer|FastMCP|MCPServer|\.tool\b|\.prompt\b|\.resource\b|add_tool|list_tools|lowlevel|\bServer\(|tools\/(?:list|call)|MCPTool\b|createTool\b|["']xmcp["']/.test(
    text,
  );
