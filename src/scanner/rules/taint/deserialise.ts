import { pythonCase, scriptCase } from '../cases.js';
import { taintRule } from './taint.js';

/** Finds unsafe deserialisation of caller input. */
export const taintDeserialise = taintRule(
  'deserialise',
  {
    id: 'TG-TAINT-DESER',
    title: 'A parameter is deserialised unsafely',
    severity: 'high',
    cwe: [502],
    owasp: ['MCP05:2025 Command Injection and Execution'],
    safeMcp: ['SAFE-T1101'],
    why: 'Formats such as pickle execute code from the sender during loading.',
    fix: 'Use JSON, or yaml.safe_load.',
    cases: [
      pythonCase(
        'import yaml',
        `@mcp.tool()
def load_settings(text: str) -> str:
    """Reads settings."""
    return str(yaml.load(text, Loader=yaml.Loader))`,
        `@mcp.tool()
def load_settings(text: str) -> str:
    """Reads settings."""
    return str(yaml.safe_load(text))`,
      ),
      scriptCase(
        'import serialize from "node-serialize";',
        `server.registerTool('restore', { inputSchema: { state: z.string() } }, async ({ state }) => {
  const value = serialize.unserialize(state);
  return { content: [{ type: 'text', text: String(value) }] };
});`,
        `server.registerTool('restore', { inputSchema: { state: z.string() } }, async ({ state }) => {
  const value = JSON.parse(state);
  return { content: [{ type: 'text', text: String(value) }] };
});`,
      ),
    ],
  },
  'Loading it can execute code from the sender.',
);
