import { pythonCase, scriptCase } from '../cases.js';
import { taintRule } from './taint.js';

/** Finds caller input compiled as a template (server-side template injection). */
export const taintTemplate = taintRule(
  'template',
  {
    id: 'TG-TAINT-TEMPLATE',
    title: 'A parameter is compiled as a template',
    severity: 'high',
    cwe: [1336, 94],
    owasp: ['MCP05:2025 Command Injection and Execution'],
    safeMcp: ['SAFE-T1101'],
    why: 'Templates can access objects of the server, and through them execute code.',
    fix: 'Keep the template constant and pass the text as a value.',
    cases: [
      pythonCase(
        'from jinja2 import Template',
        `@mcp.tool()
def greet(name: str) -> str:
    """Greets a person."""
    return Template("Hello " + name).render()`,
        `@mcp.tool()
def greet(name: str) -> str:
    """Greets a person."""
    return Template("Hello {{ name }}").render(name=name)`,
      ),
      scriptCase(
        'import ejs from "ejs";',
        `server.registerTool('greet', { inputSchema: { layout: z.string() } }, async ({ layout }) => {
  return { content: [{ type: 'text', text: ejs.render(layout, { name: 'you' }) }] };
});`,
        `server.registerTool('greet', { inputSchema: { name: z.string() } }, async ({ name }) => {
  return { content: [{ type: 'text', text: ejs.render('Hello <%= name %>', { name }) }] };
});`,
      ),
    ],
  },
  'A template can execute code inside the server.',
);
