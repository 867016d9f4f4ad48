import { pythonCase, scriptCase } from './cases.js';
import { taintRule } from './taint/taint.js';

/** Finds path checks without symlink resolution (link following, TOCTOU). */
export const symlink = taintRule(
  'link',
  {
    id: 'TG-SYMLINK',
    title: 'A path check does not resolve symbolic links',
    severity: 'low',
    cwe: [59, 367],
    owasp: ['MCP02:2025 Privilege Escalation via Scope Creep'],
    safeMcp: ['SAFE-T1105'],
    why: 'A symbolic link inside the folder, created or found by an attacker, leads out of it although the path passes the check.',
    fix: 'Resolve links first (os.path.realpath, Path.resolve, fs.realpath), compare the result with the folder, then open the compared path.',
    cases: [
      pythonCase(
        'import os',
        `ROOT = "/srv/notes"

@mcp.tool()
def read_note(name: str) -> str:
    """Reads a note."""
    path = os.path.abspath(os.path.join(ROOT, name))
    if not path.startswith(ROOT + os.sep):
        raise ValueError("outside the notes")
    with open(path) as file:
        return file.read()`,
        `ROOT = "/srv/notes"

@mcp.tool()
def read_note(name: str) -> str:
    """Reads a note."""
    path = os.path.realpath(os.path.join(ROOT, name))
    if not path.startswith(ROOT + os.sep):
        raise ValueError("outside the notes")
    with open(path) as file:
        return file.read()`,
      ),
      scriptCase(
        'import { readFile, realpath } from "node:fs/promises";\nimport path from "node:path";',
        `server.registerTool('read_note', { inputSchema: { name: z.string() } }, async ({ name }) => {
  const file = path.resolve('/srv/notes', name);
  if (!file.startsWith('/srv/notes/')) throw new Error('outside the notes');
  return { content: [{ type: 'text', text: await readFile(file, 'utf8') }] };
});`,
        `server.registerTool('read_note', { inputSchema: { name: z.string() } }, async ({ name }) => {
  const file = await realpath(path.resolve('/srv/notes', name));
  if (!file.startsWith('/srv/notes/')) throw new Error('outside the notes');
  return { content: [{ type: 'text', text: await readFile(file, 'utf8') }] };
});`,
      ),
    ],
  },
  'A symbolic link inside the folder can lead out of it.',
);
