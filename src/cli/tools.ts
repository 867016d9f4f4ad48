import { parseArgs } from 'node:util';
import { visible } from '../lib/visible.js';
import { lintTools } from '../registry/lint.js';
import type { Io } from './io.js';
import { localGate } from './local-gate.js';

export const help = `Usage: toolgate tools [name] [--lint] [--json] [--config file]

Lists the tools of the configuration: those that are ready, and those that are not, with the reason. With a name, shows what
that tool takes. With --lint, says which names and descriptions mislead a model: too short, without a verb, almost the same as
another, imitating a tool of another source, or giving orders; it ends with 1 where one is an error.
`;

/** Lists tools, or describes one. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const opened = await localGate(argv, io);
  if (!opened.ok) return 1;
  const { gate, user, rest } = opened;
  try {
    const { values, positionals } = parseArgs({
      args: [...rest],
      allowPositionals: true,
      options: { json: { type: 'boolean' }, lint: { type: 'boolean' } },
    });
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
        io.err(`toolgate: there is no tool ${JSON.stringify(name)}\n`);
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
        `${tool.name.padEnd(24)} ${state.padEnd(10)} ${visible(tool.unavailable?.message ?? tool.description.split('\n', 1)[0] ?? '')}\n`,
      );
    }
    for (const { what, why } of gate.gateway.withheld())
      io.out(`${visible(what).padEnd(24)} withheld   ${visible(why)}\n`);
    return 0;
  } finally {
    await gate.close(1_000);
  }
}
