import { toolgate } from '../../support/toolgate.js';
import type { Loose } from '../mcp-client.js';
import { aFolder } from '../folder.js';

/** The example of the founding document, in our own words: two tools, one function that looks like one, one helper. */
export const example = `# server.py
from mcp import Server
from mcp.server.stdio import stdio_server

server = Server("sample")

@server.tool()
def read_file(path: str):
    """Give back what a file holds."""
    with open(path) as handle:
        return handle.read()

@server.tool()
def calculate(a: int, b: int):
    """Add two numbers up."""
    return a + b

def helper_function():
    """Adds nothing."""

def handle_request(req):
    """Looks like one."""

if __name__ == "__main__":
    stdio_server(server)
`;

/** A Python server with this code after its start. */
export const python = (code: string, imports = ''): string => `import os, sys, functools
${imports}
from mcp.server.fastmcp import FastMCP
m = FastMCP("s")
${code}
m.run()
`;
/** A JavaScript server with these registrations; \`handler\` passes its argument to a shell. */
export const script = (code: string): string => `import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { execSync } from 'node:child_process';
import { z } from 'zod';
const s = new McpServer({ name: 's', version: '1' });
const handler = async ({ host }) => ({ content: [{ type: 'text', text: execSync('ping ' + host).toString() }] });
const spec = { description: 'Pings', inputSchema: { host: z.string() } };
${code}
await s.connect(new StdioServerTransport());
`;

type Files = Readonly<Record<string, string>>;

/** The JSON of `toolgate surface` for these files. */
export const surface = async (files: Files, argv: readonly string[] = []): Promise<Loose> =>
  JSON.parse((await toolgate(aFolder(files), ['surface', '.', '--format', 'json', ...argv])).out).surface;
/** The JSON of `toolgate scan` for these files. */
export const scan = async (files: Files, argv: readonly string[] = []): Promise<Loose> =>
  JSON.parse((await toolgate(aFolder(files), ['scan', '.', '--format', 'json', ...argv])).out);
export const names = (items: readonly Loose[]): readonly string[] => items.map(({ name }) => name);
/** Names of the tools that are certain. */
export const certain = ({ tools }: Loose): readonly string[] =>
  names(tools.filter(({ confidence }: Loose) => confidence !== 'heuristic'));
