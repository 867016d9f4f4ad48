import { pythonCase, scriptCase } from './cases.js';
import { taintRule } from './taint.js';

/** A caller's text is evaluated as program code. */
export const taintCode = taintRule(
  'code',
  {
    id: 'TG-TAINT-CODE',
    title: 'A parameter is evaluated as code',
    severity: 'high',
    cwe: [94, 95],
    owasp: ['MCP05:2025 Command Injection and Execution'],
    safeMcp: ['SAFE-T1101'],
    why: 'An evaluator gives the caller everything that the server itself can do; emptied built-ins are no fence.',
    mend: 'Parse the input instead: ast.literal_eval for data, a small interpreter over ast nodes for arithmetic, JSON.parse for objects.',
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
  ({ inPage }) => `Whoever steers the model runs code inside ${inPage ? 'the page' : 'the server'}.`,
  ({ inPage }) => (inPage ? 'medium' : 'high'),
);
