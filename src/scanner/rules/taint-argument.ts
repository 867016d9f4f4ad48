import { pythonCase, scriptCase } from './cases.js';
import { taintRule } from './taint.js';

/** A caller's text can be taken for an option of a program. */
export const taintArgument = taintRule(
  'argument',
  {
    id: 'TG-TAINT-ARG',
    title: 'A parameter can be taken for an option of a program',
    severity: 'medium',
    cwe: [88],
    owasp: ['MCP05:2025 Command Injection and Execution'],
    safeMcp: ['SAFE-T1101'],
    why: 'Without a shell nothing splits the text, but a word that begins with a dash is still an option: `--output=…` of git writes files, `-oProxyCommand=…` of ssh and `--upload-pack=…` of git run programs.',
    mend: 'Put `--` before what the caller gives, refuse what begins with a dash, or accept only values from a fixed list.',
    cases: [
      pythonCase(
        'import subprocess',
        `@mcp.tool()
def history(branch: str) -> str:
    """Shows the history of a branch."""
    return subprocess.check_output(["git", "log", "--oneline", branch], text=True)`,
        `@mcp.tool()
def history(branch: str) -> str:
    """Shows the history of a branch."""
    if branch.startswith("-"):
        raise ValueError("not a branch")
    return subprocess.check_output(["git", "log", "--oneline", branch], text=True)`,
      ),
      scriptCase(
        'import { execFileSync } from "node:child_process";',
        `server.registerTool('unpack', { description: 'Unpacks a backup', inputSchema: { archive: z.string() } }, async ({ archive }) => {
  const out = execFileSync('tar', ['-xzf', '/srv/backup.tgz', archive]).toString();
  return { content: [{ type: 'text', text: out }] };
});`,
        `server.registerTool('unpack', { description: 'Unpacks a backup', inputSchema: { archive: z.string() } }, async ({ archive }) => {
  const out = execFileSync('tar', ['-xzf', '/srv/backup.tgz', '--', archive]).toString();
  return { content: [{ type: 'text', text: out }] };
});`,
      ),
    ],
  },
  'Options can make it start other programs, or read and write files.',
  // Refusing the options that one can think of leaves those that one cannot, and little else.
  ({ isScreened }) => (isScreened ? 'low' : 'medium'),
);
