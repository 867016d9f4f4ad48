import { pythonCase, scriptCase } from '../cases.js';
import { taintRule } from './taint.js';

/** Finds caller input that a program can parse as an option (argument injection). */
export const taintArgument = taintRule(
  'argument',
  {
    id: 'TG-TAINT-ARG',
    title: 'A parameter can be parsed as a command-line option',
    severity: 'medium',
    cwe: [88],
    owasp: ['MCP05:2025 Command Injection and Execution'],
    safeMcp: ['SAFE-T1101'],
    why: 'Without a shell the text is not split, but an argument that starts with a dash is still an option: `--output=…` of git writes files, `-oProxyCommand=…` of ssh and `--upload-pack=…` of git run programs.',
    fix: 'Put `--` before caller input, reject values that start with a dash, or accept only values from an allow-list.',
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
  'Options can start other programs, or read and write files.',
  // A deny-list of options misses unknown ones, but leaves little else.
  ({ isDashChecked: isScreened }) => (isScreened ? 'low' : 'medium'),
);
