import { escapeInvisible } from '../lib/escape-invisible.js';
import { lintTools } from '../registry/lint.js';
import { didYouMean, parseCommandLine } from './command-line.js';
import type { Io } from './io.js';
import { localGate } from './local-gate.js';

export const help = `Usage: toolgate tools [name] [--lint] [--json] [--config file]

Lists the configured tools and whether they are ready, with the reason if not. With a name, shows the input schema of that tool.
With --lint, reports names and descriptions that mislead a model: too short, without a verb, nearly identical, imitating a tool
of another source, or containing instructions (prompt injection); the exit code is 1 if one is an error.
`;

/** Lists tools, describes one, or lints their descriptions. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const local = await localGate(argv, io);
  if (!local.ok) return 1;
  const { gate, user, rest } = local;
  try {
    const parsed = parseCommandLine('tools', rest, { json: { type: 'boolean' }, lint: { type: 'boolean' } }, io);
    if (parsed === undefined) return 2;
    const { values, positionals } = parsed;
    const statuses = gate.gateway.statuses({ principal: user });
    if (values.lint === true) {
      const findings = lintTools(statuses.map(({ tool }) => tool));
      io.out(
        values.json === true
          ? `${JSON.stringify({ findings }, null, 2)}\n`
          : findings
              .map(({ tool, severity, message, rule }) => `${severity}: ${tool}: ${message} [${rule}]\n`)
              .join(''),
      );
      return findings.some(({ severity }) => severity === 'error') ? 1 : 0;
    }
    const [name] = positionals;
    if (name !== undefined) {
      const found = statuses.find(({ tool }) => tool.name === name);
      if (found === undefined) {
        const names = statuses.map(({ tool }) => tool.name);
        io.err(`toolgate tools: unknown tool ${JSON.stringify(name)}${didYouMean(name, names)}\n`);
        return 1;
      }
      const { tool } = found;
      io.out(
        `${JSON.stringify({ name: tool.name, description: tool.description, ...(tool.unavailable && { unavailable: tool.unavailable.message }), input_schema: tool.input.schema, output_schema: tool.output?.schema, ...tool.details }, null, 2)}\n`,
      );
      return 0;
    }
    if (values.json === true) {
      io.out(
        `${JSON.stringify({ tools: statuses.map(({ tool, enabled }) => ({ name: tool.name, description: tool.description, source: tool.source, ready: tool.unavailable === undefined, ...(tool.unavailable && { reason: tool.unavailable.message }), enabled })), withheld: gate.gateway.withheld() }, null, 2)}\n`,
      );
      return 0;
    }
    for (const { tool, enabled } of statuses) {
      const state = tool.unavailable !== undefined ? 'not ready' : enabled ? 'ready' : 'disabled';
      io.out(
        `${tool.name.padEnd(24)} ${state.padEnd(10)} ${escapeInvisible(tool.unavailable?.message ?? tool.description.split('\n', 1)[0] ?? '')}\n`,
      );
    }
    for (const { what, why } of gate.gateway.withheld())
      io.out(`${escapeInvisible(what).padEnd(24)} withheld   ${escapeInvisible(why)}\n`);
    return 0;
  } finally {
    await gate.close(1_000);
  }
}
