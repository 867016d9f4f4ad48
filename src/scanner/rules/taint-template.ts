import { pythonCase, scriptCase } from './cases.js';
import { taintRule } from './taint.js';

/** A caller's text is compiled as a template. */
export const taintTemplate = taintRule(
  'template',
  {
    id: 'TG-TAINT-TEMPLATE',
    title: 'A parameter is compiled as a template',
    severity: 'high',
    cwe: [1336, 94],
    owasp: ['MCP05:2025 Command Injection and Execution'],
    safeMcp: ['SAFE-T1101'],
    why: 'A template language reaches the objects of the server; from there code is one expression away.',
    mend: 'Keep the template fixed and pass the text in as a value.',
    cases: [
      pythonCase(
        'from jinja2 import Template',
        `@mcp.tool()
def greet(name: str) -> str:
    """Greets somebody."""
    return Template("Hello " + name).render()`,
        `@mcp.tool()
def greet(name: str) -> str:
    """Greets somebody."""
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
  'A template can run code inside the server.',
);
