import { pythonCase, scriptCase } from './cases.js';
import { taintRule } from './taint.js';

/** A caller's text becomes a shell line or names a program. */
export const taintCommand = taintRule(
  'command',
  {
    id: 'TG-TAINT-CMD',
    title: 'A parameter reaches a shell or names a program',
    severity: 'high',
    cwe: [78, 77],
    owasp: ['MCP05:2025 Command Injection and Execution'],
    safeMcp: ['SAFE-T1101'],
    why: 'Text that a model was talked into passing runs as a command with the rights of the server.',
    mend: 'Start the program with a list of arguments and no shell; where a shell cannot be avoided, quote every value with shlex.quote or its like, or accept only values from a fixed list.',
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
  'Whoever steers the model runs commands on this machine.',
  // A check of words holds for more than it shows where no shell takes them apart anew.
  ({ isProgram, judged }) => (isProgram && judged ? 'medium' : 'high'),
);
