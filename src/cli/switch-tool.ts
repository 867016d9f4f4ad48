import { flagsLayer } from '../config/layers.js';
import { didYouMean, failure, parseCommandLine, usageError } from './command-line.js';
import { runningGate } from './gate-client.js';
import type { Io } from './io.js';

/** Enables or disables a tool at the running gate, until it ends. */
export async function switchTool(verb: 'enable' | 'disable', argv: readonly string[], io: Io): Promise<number> {
  const parsed = parseCommandLine(verb, flagsLayer(argv).rest, {}, io);
  if (parsed === undefined) return 2;
  const [name, ...more] = parsed.positionals;
  if (name === undefined || more.length > 0) return usageError(verb, 'needs one tool', io);
  const gate = await runningGate(argv, io);
  if (gate === undefined) {
    return failure(verb, 'no gate runs with this configuration; tool.exclude in the file applies to all', io);
  }
  const { status, body } = await gate.request('POST', `/tools/${encodeURIComponent(name)}/${verb}`);
  if (status === 200) {
    io.out(parsed.values.json === true ? `${JSON.stringify(body, null, 2)}\n` : `${verb}d    ${name}\n`);
    return 0;
  }
  const { tools } = (await gate.request('GET', '/tools')).body ?? {};
  // The response may come from an older gate, so the shape is checked instead of assumed.
  const names = Array.isArray(tools) ? tools.map((tool: { readonly name?: unknown }) => String(tool.name)) : [];
  return failure(verb, `unknown tool ${JSON.stringify(name)}${didYouMean(name, names)}`, io);
}

/** Help page of both verbs. */
export const switchHelp = (
  verb: 'enable' | 'disable',
): string => `Usage: toolgate ${verb} <tool> [--json] [--config file]

${
  verb === 'enable'
    ? 'Offers a disabled tool again. A tool that tool.exclude in the configuration file names is not offered.'
    : 'Removes a tool from all lists and refuses its calls. To remove it permanently, add it to tool.exclude in the configuration file.'
}
Applies to the running gate of this configuration, until it ends.
`;
