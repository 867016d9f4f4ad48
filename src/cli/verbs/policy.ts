import { readFileSync } from 'node:fs';
import { flagsLayer } from '../../config/layers.js';
import { parseYaml } from '../../config/parse-yaml.js';
import type { JsonObject } from '../../core/json.js';
import { describeSystemError } from '../../lib/system-error.js';
import { replayPolicy } from '../../serve/operator-routes.js';
import { failure, parseCommandLine, unexpectedArgument, usageError } from '../command-line.js';
import { runningGate } from '../gate-client.js';
import type { Io } from '../io.js';
import { localGate } from '../local-gate.js';

export const help = `Usage: toolgate policy replay <file> [--calls N] [--json] [--alone] [--config file]

Shows what draft rules would decide about recorded calls. The file holds policy.rules, or a whole configuration. Nothing is installed
and nothing runs. The running gate of this configuration answers if there is one; with --alone, or without one, the sources are
started here. A call is undecidable if a rule depends on arguments that the audit did not keep (audit.keep_arguments), or if its tool
or principal no longer exists.

  --calls      how many of the newest recorded calls, at most 5000 (default 500)
`;

const mostCalls = 5_000;

/** Replays draft rules over recorded calls. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const wrong = (message: string): number => usageError('policy', message, io);
  const options = { calls: { type: 'string' }, alone: { type: 'boolean' } } as const;
  const parsed = parseCommandLine('policy', flagsLayer(argv).rest, options, io);
  if (parsed === undefined) return 2;
  const { values, positionals } = parsed;
  const [command, file, ...more] = positionals;
  if (command !== 'replay')
    return wrong(
      `${command === undefined ? 'no command' : `unknown command ${JSON.stringify(command)}`}; the only one is replay`,
    );
  if (file === undefined) return wrong('replay needs the file of the draft');
  const extra = unexpectedArgument('policy', more, io);
  if (extra !== undefined) return extra;
  const calls = Number(values.calls ?? 500);
  if (!Number.isInteger(calls) || calls < 1 || calls > mostCalls)
    return wrong(`--calls must be a whole number from 1 to ${mostCalls}`);
  const draft = readDraft(file);
  if ('problem' in draft) return failure('policy', draft.problem, io);
  const result = await replay(draft.rules, calls, argv, io);
  if (typeof result === 'number') return result;
  if (typeof result === 'string') return failure('policy', `${file}: ${result}`, io);
  io.out(values.json === true ? `${JSON.stringify(result, null, 2)}\n` : toText(result));
  return result['changes'] === 0 ? 0 : 3;
}

/** The rules of a file as JSON text. A whole configuration is accepted, because that is the file people edit. */
function readDraft(file: string): { readonly rules: string } | { readonly problem: string } {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    return { problem: `${file}: ${describeSystemError(error)}` };
  }
  const parsed = parseYaml(text);
  if (!parsed.ok) return { problem: `${file}: ${parsed.problem}` };
  const rules = Array.isArray(parsed.value) ? parsed.value : readField(readField(parsed.value, 'policy'), 'rules');
  if (!Array.isArray(rules))
    return { problem: `${file} is neither a list of rules nor a configuration with policy.rules` };
  return { rules: JSON.stringify(rules) };
}

const readField = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;

/** Counts and changed calls; a number is an exit code, a text the problem with the draft. */
async function replay(
  draft: string,
  calls: number,
  argv: readonly string[],
  io: Io,
): Promise<JsonObject | string | number> {
  const running = await runningGate(argv, io);
  if (running !== undefined) {
    const { status, body = {} } = await running.request('POST', '/policy/replay', { draft, calls });
    // Routes answer with JSON.
    return status === 200 ? (body as JsonObject) : String(body['error'] ?? `the gate returned HTTP status ${status}`);
  }
  const local = await localGate(argv, io);
  if (!local.ok) return 1;
  try {
    return await replayPolicy(local.gate, local.home, draft, calls);
  } finally {
    await local.gate.close(1_000);
  }
}

/** The sentence of the console, then one line per call that would be decided differently. */
function toText({ calls, counts, changes, changed }: JsonObject): string {
  const number = (name: string): string => String(readField(counts, name) ?? 0);
  const rows = Array.isArray(changed) ? changed : [];
  const cut = Number(changes) - rows.length;
  return [
    `Of the last ${String(calls)} calls, ${number('deny')} would be refused, ${number('confirm')} asked, ${number('allow')} allowed; ` +
      `${String(changes)} change, ${number('unknown')} cannot be decided from the record.`,
    ...rows.map((row) => {
      const field = (name: string): string => String(readField(row, name) ?? '');
      return `  ${field('at')}  ${field('tool')} by ${field('principal')}: ${field('before')} -> ${field('after')} ${field('rule')}`;
    }),
    ...(cut > 0 ? [`  and ${cut} more`] : []),
    '',
  ].join('\n');
}
