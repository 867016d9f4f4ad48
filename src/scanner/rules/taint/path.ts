import { pythonCase, scriptCase } from '../cases.js';
import { taintRule } from './taint.js';

/** Finds caller input in file paths without a containment check (path traversal). */
export const taintPath = taintRule(
  'path',
  {
    id: 'TG-TAINT-PATH',
    title: 'A parameter selects a file without a folder check',
    severity: 'high',
    cwe: [22, 73],
    owasp: ['MCP05:2025 Command Injection and Execution', 'MCP02:2025 Privilege Escalation via Scope Creep'],
    safeMcp: ['SAFE-T1105'],
    why: 'With `..` or an absolute path (path traversal) the caller reads or writes any file the server can access: keys, history, start-up scripts.',
    fix: 'Resolve the path (realpath) and check that the result is inside the folder, comparing with a prefix that ends in the separator; or use only the base name.',
    cases: [
      pythonCase(
        'import os',
        `@mcp.tool()
def read_note(name: str) -> str:
    """Reads a note."""
    with open(os.path.join("/srv/notes", name)) as file:
        return file.read()`,
        `@mcp.tool()
def read_note(name: str) -> str:
    """Reads a note."""
    path = os.path.realpath(os.path.join("/srv/notes", name))
    if not path.startswith("/srv/notes/"):
        raise ValueError("outside the notes")
    with open(path) as file:
        return file.read()`,
      ),
      scriptCase(
        'import { readFile } from "node:fs/promises";\nimport path from "node:path";',
        `server.registerTool('read_note', { inputSchema: { name: z.string() } }, async ({ name }) => {
  const text = await readFile(path.join('/srv/notes', name), 'utf8');
  return { content: [{ type: 'text', text }] };
});`,
        `server.registerTool('read_note', { inputSchema: { name: z.string() } }, async ({ name }) => {
  const file = path.resolve('/srv/notes', name);
  if (!file.startsWith('/srv/notes' + path.sep)) throw new Error('outside the notes');
  const text = await readFile(file, 'utf8');
  return { content: [{ type: 'text', text }] };
});`,
      ),
    ],
  },
  'Files outside the intended folder can be reached.',
  ({ isConfigDependent: byMode, inFolder, isPrefixChecked: isPrefixed, tail }) =>
    byMode ? 'low' : !inFolder || isPrefixed || tail !== undefined ? 'medium' : 'high',
);
