import { pythonCase, scriptCase } from '../cases.js';
import { taintRule } from './taint.js';

/** Finds caller input that is evaluated as code (code injection). */
export const taintCode = taintRule(
  'code',
  {
    id: 'TG-TAINT-CODE',
    title: 'A parameter is evaluated as code',
    severity: 'high',
    cwe: [94, 95],
    owasp: ['MCP05:2025 Command Injection and Execution'],
    safeMcp: ['SAFE-T1101'],
    why: 'Evaluated code can do everything the server can; removing built-ins does not prevent this.',
    fix: 'Parse the input instead: ast.literal_eval for data, an interpreter over ast nodes for arithmetic, JSON.parse for objects.',
    cases: [
      pythonCase(
        'import ast',
        `@mcp.tool()
def calculate(expression: str) -> str:
    """Works out an arithmetic expression."""
    return str(eval(expression, {"__builtins__": {}}))`,
        `@mcp.tool()
def calculate(expression: str) -> str:
    """Works out an arithmetic expression."""
    return str(ast.literal_eval(expression))`,
      ),
      scriptCase(
        '',
        `server.registerTool('calculate', { inputSchema: { expression: z.string() } }, async ({ expression }) => {
  const value = new Function('return ' + expression)();
  return { content: [{ type: 'text', text: String(value) }] };
});`,
        `server.registerTool('calculate', { inputSchema: { expression: z.string() } }, async ({ expression }) => {
  if (!/^[0-9+*/(). -]+$/.test(expression)) throw new Error('digits and operators only');
  const value = new Function('return ' + expression)();
  return { content: [{ type: 'text', text: String(value) }] };
});`,
      ),
    ],
  },
  ({ inPage }) => `An attacker who controls the model can run code inside ${inPage ? 'the page' : 'the server'}.`,
  ({ inPage }) => (inPage ? 'medium' : 'high'),
);
