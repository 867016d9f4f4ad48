import type { Args } from '../core/call.js';
import { escapeInvisible } from '../lib/text/escape-invisible.js';
import { didYouMean } from './command-line.js';
import type { GateClient } from './gate-client.js';
import type { Io } from './io.js';

/** Runs a tool at the running gate and prints its result; returns the exit code of `toolgate call`. */
export async function remoteCall(
  gate: GateClient,
  { tool, args, asJson }: { readonly tool: string; readonly args: Args; readonly asJson: boolean },
  failures: ReadonlySet<string>,
  io: Io,
): Promise<number> {
  // Encoded: a tool name with a slash would otherwise address another route.
  const { body = {} } = await gate.request('POST', `/tools/${encodeURIComponent(tool)}/execute`, args);
  const { error, error_context: context, stdout, stderr, correlation_id: id } = body;
  if (asJson) io.out(`${JSON.stringify(body, null, 2)}\n`);
  // A final newline keeps the prompt of the shell on its own line; output that has one stays as it is.
  else if (typeof stdout === 'string' && stdout !== '') io.out(stdout.endsWith('\n') ? stdout : `${stdout}\n`);
  if (!asJson && typeof stderr === 'string' && stderr !== '') io.err(escapeInvisible(stderr));
  if (error === null || error === undefined) return 0;
  const { code, recovery_suggestion: hint } = isFields(context) ? context : {};
  const isFailure = failures.has(String(code));
  // The names are only needed for a suggestion, so they are requested for unknown tools alone.
  const names = code === 'not_found' && !asJson ? await toolNames(gate) : [];
  const advice = callHint(String(code), tool, names) ?? escapeInvisible(String(hint));
  if (!asJson)
    io.err(
      `${isFailure ? 'failed' : 'refused'} (${String(code)}): ${escapeInvisible(String(error))}\n  ${advice}\n  correlation id ${String(id)}\n`,
    );
  // 3 distinguishes a refusal by the gateway from a failure of the tool, for scripts.
  return isFailure ? 1 : 3;
}

/** What to do about a refused call, in terms of the command line; undefined where the gateway's own advice fits. */
export function callHint(code: string, tool: string, names: readonly string[]): string | undefined {
  if (code === 'invalid_arguments') return `toolgate tools ${escapeInvisible(tool)} shows its arguments.`;
  // The tool exists but is hidden from this caller: a suggestion would confirm that.
  if (code !== 'not_found' || names.includes(tool)) return undefined;
  const near = didYouMean(tool, names).replace(/^; d/, 'D');
  return `${near === '' ? '' : `${escapeInvisible(near)} `}toolgate tools lists the tools.`;
}

async function toolNames(gate: GateClient): Promise<readonly string[]> {
  const { tools = [] } = ((await gate.request('GET', '/tools')).body ?? {}) as { tools?: { name: string }[] }; // GET /tools
  return tools.map(({ name }) => name);
}

const isFields = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
