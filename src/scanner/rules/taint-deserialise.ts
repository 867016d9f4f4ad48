import { pythonCase, scriptCase } from './cases.js';
import { taintRule } from './taint.js';

/** A caller's bytes are turned into objects that can run code. */
export const taintDeserialise = taintRule(
  'deserialise',
  {
    id: 'TG-TAINT-DESER',
    title: 'A parameter is unpickled or otherwise revived as objects',
    severity: 'high',
    cwe: [502],
    owasp: ['MCP05:2025 Command Injection and Execution'],
    safeMcp: ['SAFE-T1101'],
    why: 'Formats such as pickle run code of the sender while they are read.',
    mend: 'Use JSON, or yaml.safe_load.',
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
  'Reading it can run code of the sender.',
);
