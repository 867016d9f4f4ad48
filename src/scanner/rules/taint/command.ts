import { pythonCase, scriptCase } from '../cases.js';
import { taintRule } from './taint.js';

/** Finds caller input in shell commands or program names (command injection). */
export const taintCommand = taintRule(
  'command',
  {
    id: 'TG-TAINT-CMD',
    title: 'A parameter reaches a shell or selects a program',
    severity: 'high',
    cwe: [78, 77],
    owasp: ['MCP05:2025 Command Injection and Execution'],
    safeMcp: ['SAFE-T1101'],
    why: 'Text passed by a manipulated model runs as a command with the permissions of the server.',
    fix: 'Start the program with an argument list and no shell; if a shell is unavoidable, quote every value (shlex.quote or equivalent) or accept only values from an allow-list.',
    cases: [
      pythonCase(
        'import subprocess',
        `@mcp.tool()
def ping(host: str) -> str:
    """Checks whether a host answers."""
    return subprocess.check_output(f"ping -c 1 {host}", shell=True, text=True)`,
        `@mcp.tool()
def ping(host: str) -> str:
    """Checks whether a host answers."""
    return subprocess.check_output(["ping", "-c", "1", "--", host], text=True)`,
      ),
      scriptCase(
        'import { execSync, execFileSync } from "node:child_process";',
        `server.registerTool('blame', { description: 'Who wrote a line', inputSchema: { file: z.string() } }, async ({ file }) => {
  const out = execSync(\`git blame \${file}\`).toString();
  return { content: [{ type: 'text', text: out }] };
});`,
        `server.registerTool('blame', { description: 'Who wrote a line', inputSchema: { file: z.string() } }, async ({ file }) => {
  const out = execFileSync('git', ['blame', '--', file]).toString();
  return { content: [{ type: 'text', text: out }] };
});`,
      ),
    ],
  },
  'An attacker who controls the model can run commands on this machine.',
  // Without a shell the checked arguments are not parsed again, so a check is more likely to be sufficient.
  ({ isProgram, isChecked }) => (isProgram && isChecked ? 'medium' : 'high'),
);
