import { flagsLayer } from '../../config/layers.js';
import { operatorFacts } from '../../core/tool.js';
import { lintTools } from '../../registry/lint.js';
import { didYouMean, failure, parseCommandLine, unexpectedArgument } from '../command-line.js';
import { runningGate, type GateClient } from '../gate-client.js';
import type { Io } from '../io.js';
import { localGate } from '../local-gate.js';
import { costBySource, printCost, printTools, type ListedTool, type ListedWithheld } from '../tool-list.js';

export const help = `Usage: toolgate tools [name] [--cost] [--lint] [--alone] [--json] [--config file]

Lists the configured tools and whether they are ready, with the reason if not. With a name, shows the input schema of that tool.
The running gate of this configuration answers if there is one; else the sources are started here.

  --cost    tokens that the definitions of each source take in a model's context (estimated: 4 bytes of JSON per token)
  --lint    names and descriptions that mislead a model: too short, without a verb, nearly identical, imitating a tool of another
            source, or containing instructions (prompt injection)
  --alone   starts the sources here, also if a gate runs
  --json    JSON output
`;

/** Options of this verb. */
const toolOptions = {
  lint: { type: 'boolean' },
  cost: { type: 'boolean' },
  alone: { type: 'boolean' },
} as const;

/** Definition and state of one tool, from the running gate or from this process. */
interface Catalogue {
  readonly tools: readonly ListedTool[];
  readonly withheld: readonly ListedWithheld[];
  describe(name: string): Promise<unknown>;
}

/** Lists tools, describes one, counts their cost, or lints their descriptions. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const parsed = parseCommandLine('tools', flagsLayer(argv).rest, toolOptions, io);
  if (parsed === undefined) return 2;
  const { values, positionals } = parsed;
  const extra = unexpectedArgument('tools', positionals.slice(1), io);
  if (extra !== undefined) return extra;
  // Lints need the tool objects, which only a local gate has.
  const gate = values.lint === true ? undefined : await runningGate(argv, io);
  if (gate !== undefined) return show(await remoteCatalogue(gate), positionals[0], values, io);
  const local = await localGate(argv, io);
  if (!local.ok) return 1;
  const { gateway } = local.gate;
  try {
    const statuses = gateway.statuses({ principal: local.user });
    if (values.lint !== true) {
      const catalogue: Catalogue = {
        tools: statuses.map(({ tool, enabled }) => ({
          name: tool.name,
          description: tool.description,
          source: tool.source,
          ready: tool.unavailable === undefined,
          ...(tool.unavailable && { reason: tool.unavailable.message }),
          enabled,
        })),
        withheld: gateway.withheld(),
        describe: (name) => Promise.resolve(definitionOf(statuses.find(({ tool }) => tool.name === name)?.tool)),
      };
      return await show(catalogue, positionals[0], values, io);
    }
    const findings = lintTools(statuses.map(({ tool }) => tool));
    io.out(
      values.json === true
        ? `${JSON.stringify({ findings }, null, 2)}\n`
        : findings.map(({ tool, severity, message, rule }) => `${severity}: ${tool}: ${message} [${rule}]\n`).join(''),
    );
    return findings.some(({ severity }) => severity === 'error') ? 1 : 0;
  } finally {
    await local.gate.close(1_000);
  }
}

/** A definition as an operator sees it. */
const definitionOf = (tool: Parameters<typeof operatorFacts>[0] | undefined): unknown =>
  tool && {
    ...operatorFacts(tool),
    name: tool.name,
    description: tool.description,
    ...(tool.unavailable && { unavailable: tool.unavailable.message }),
    input_schema: tool.input.schema,
    output_schema: tool.output?.schema,
  };

/** Tools of the running gate. */
async function remoteCatalogue(gate: GateClient): Promise<Catalogue> {
  const { body } = await gate.request('GET', '/tools');
  // The shapes of GET /tools.
  const { tools = [], withheld = [] } = (body ?? {}) as { tools?: ListedTool[]; withheld?: ListedWithheld[] };
  return {
    tools,
    withheld,
    describe: async (name) => (await gate.request('GET', `/tools/${encodeURIComponent(name)}`)).body,
  };
}

/** Prints one tool, the cost of all, or the list. */
async function show(
  { tools, withheld, describe }: Catalogue,
  name: string | undefined,
  { json, cost }: { readonly json?: boolean; readonly cost?: boolean },
  io: Io,
): Promise<number> {
  if (name !== undefined) {
    if (tools.some((tool) => tool.name === name)) {
      io.out(`${JSON.stringify(await describe(name), null, 2)}\n`);
      return 0;
    }
    const names = tools.map((tool) => tool.name);
    return failure('tools', `unknown tool ${JSON.stringify(name)}${didYouMean(name, names)}`, io);
  }
  if (cost === true) {
    const definitions = [];
    for (const tool of tools) {
      const whole = (await describe(tool.name)) as Record<string, unknown> | undefined; // a described tool is an object
      // Only what a client sends to the model costs tokens.
      const definition = { name: tool.name, description: tool.description, inputSchema: whole?.['input_schema'] };
      definitions.push({ source: tool.source, definition });
    }
    const costs = costBySource(definitions);
    if (json === true) io.out(`${JSON.stringify({ sources: costs }, null, 2)}\n`);
    else printCost(costs, io);
    return 0;
  }
  if (json === true) io.out(`${JSON.stringify({ tools, withheld }, null, 2)}\n`);
  else printTools(tools, withheld, io);
  return 0;
}
