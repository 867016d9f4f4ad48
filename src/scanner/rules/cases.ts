import type { Case } from './rule.js';

const pythonHead = 'from mcp.server.fastmcp import FastMCP\n';
const pythonStart = 'mcp = FastMCP("demo")\n\n';
const pythonEnd = '\nif __name__ == "__main__":\n    mcp.run()\n';
const scriptHead =
  'import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";\nimport { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";\nimport { z } from "zod";\n';
const scriptStart = "const server = new McpServer({ name: 'demo', version: '1.0.0' });\n\n";
const scriptEnd = '\nawait server.connect(new StdioServerTransport());\n';

/** Wraps Python tools in a complete server. */
export const pythonServer = (imports: string, body: string): string =>
  `${imports === '' ? '' : `${imports}\n`}${pythonHead}${pythonStart}${body}\n${pythonEnd}`;

/** Wraps TypeScript tools in a complete server. */
export const scriptServer = (imports: string, body: string): string =>
  `${imports === '' ? '' : `${imports}\n`}${scriptHead}${scriptStart}${body}\n${scriptEnd}`;

/** A vulnerable Python server and its fixed version. */
export const pythonCase = (imports: string, bad: string, good: string): Case => ({
  language: 'python',
  bad: pythonServer(imports, bad),
  good: pythonServer(imports, good),
});

/** A vulnerable TypeScript server and its fixed version. */
export const scriptCase = (imports: string, bad: string, good: string): Case => ({
  language: 'typescript',
  bad: scriptServer(imports, bad),
  good: scriptServer(imports, good),
});
