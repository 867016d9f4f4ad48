import { pythonCase, scriptCase } from '../cases.js';
import { taintRule } from './taint.js';

/** Finds caller input that selects the module to load. */
export const taintModule = taintRule(
  'module',
  {
    id: 'TG-TAINT-IMPORT',
    title: 'A parameter selects the module to load',
    severity: 'high',
    cwe: [470, 829],
    owasp: ['MCP05:2025 Command Injection and Execution'],
    safeMcp: ['SAFE-T1101'],
    why: 'Loading a module executes it; a path in the name loads any file.',
    fix: 'Keep a table of names and modules that are imported at start.',
    cases: [
      pythonCase(
        'import importlib',
        `@mcp.tool()
def run_plugin(name: str) -> str:
    """Runs a plugin."""
    return importlib.import_module(name).main()`,
        `PLUGINS = {"csv", "html"}

@mcp.tool()
def run_plugin(name: str) -> str:
    """Runs a plugin."""
    if name not in PLUGINS:
        raise ValueError("no such plugin")
    return importlib.import_module(f"plugins.{name}").main()`,
      ),
      scriptCase(
        '',
        `server.registerTool('run_plugin', { inputSchema: { name: z.string() } }, async ({ name }) => {
  const plugin = await import(name);
  return { content: [{ type: 'text', text: plugin.main() }] };
});`,
        `const plugins = { csv: () => import('./csv.js') };
server.registerTool('run_plugin', { inputSchema: { name: z.enum(['csv']) } }, async ({ name }) => {
  const plugin = await plugins[name]();
  return { content: [{ type: 'text', text: plugin.main() }] };
});`,
      ),
    ],
  },
  'Code chosen by the caller is loaded.',
);
