/** Whether text speaks of registering anything: the rest is run only as far as it is cheap. */
export const mentionsRegistration = (text: string): boolean =>
  /registerTool|registerResource|registerPrompt|registerAppTool|setRequestHandler|addTool|McpServer|FastMCP|MCPServer|\.tool\b|\.prompt\b|\.resource\b|add_tool|list_tools|lowlevel|\bServer\(/.test(
    text,
  );
