import { flagsLayer } from '../../config/layers.js';
import type { Confirmation } from '../../core/call.js';
import { toReadableText } from '../../core/content.js';
import { recoveryOf } from '../../core/recovery.js';
import type { Answer } from '../../core/gateway.js';
import { askUser } from '../ask-user.js';
import { parseCallArguments } from '../call-arguments.js';
import { parseCommandLine, usageError } from '../command-line.js';
import { runningGate } from '../gate-client.js';
import { callHint, remoteCall } from '../remote-call.js';
import type { Io } from '../io.js';
import { localGate } from '../local-gate.js';

export const help = `Usage: toolgate call <tool> [name=value ...] [--args '{"json":"object"}' | --args @file] [--alone] [--json] [--config file]

Runs one tool with all guards, at the running gate of this configuration if there is one, else in this process (--alone: always here,
where a rule can also ask at the terminal). Values that look like JSON (numbers, true, false,
lists, objects) are parsed as JSON, all others are text.

Examples:
  toolgate call ping target=127.0.0.1 count=2
  toolgate call nmap target=192.168.1.0/28 template=quick dry_run=true
`;

/** Questions per call; a tool that asks without end is cut off. */
const maxQuestions = 8;
/** Codes of tools that ran and failed; every other code means that the call was refused before it ran. */
const failureCodes: ReadonlySet<string> = new Set([
  'execution_failed',
  'timeout',
  'crashed',
  'upstream_error',
  'upstream_refused',
  'network_error',
]);

/** Runs one tool through the gate. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const options = { args: { type: 'string' }, alone: { type: 'boolean' } } as const;
  const parsed = parseCommandLine('call', flagsLayer(argv).rest, options, io);
  if (parsed === undefined) return 2;
  const { values, positionals } = parsed;
  const [tool, ...pairs] = positionals;
  if (tool === undefined) return usageError('call', 'no tool given; toolgate tools lists them', io);
  const args = parseCallArguments(values.args, pairs);
  if (typeof args === 'string') return usageError('call', args, io);
  const running = await runningGate(argv, io);
  // The running gate has the sessions, limits and approvals of its callers; a second gate would have none.
  if (running !== undefined) return remoteCall(running, { tool, args, asJson: values.json === true }, failureCodes, io);
  const local = await localGate(argv, io);
  if (!local.ok) return 1;
  const { gate, user } = local;
  try {
    const line = startProgressLine(tool, io);
    // Confirmation needs an interactive terminal.
    const canAsk = io.isTTY && process.stdin.isTTY === true;
    const attempt = (confirmation?: Confirmation): Promise<Answer> =>
      gate.gateway.call({
        tool,
        args,
        principal: user,
        via: 'cli',
        signal: io.signal,
        back: {
          // Without a terminal the gate must not ask, so that it refuses with a ticket instead.
          ...(canAsk && { capabilities: { elicitation: {} } }),
          progress: ({ progress, total, message }) =>
            line.update(`${message ?? ''} ${progress}${total === undefined ? '' : `/${total}`}`),
        },
        ...(confirmation && { confirmation }),
      });
    let answer = await attempt();
    for (let round = 0; round < (canAsk ? maxQuestions : 0) && answer.outcome.kind === 'confirm'; round += 1) {
      line.done();
      answer = await attempt(await askUser(answer.outcome.question, io.signal));
    }
    line.done();
    const names = gate.gateway.statuses({ principal: user }).map((status) => status.tool.name);
    return report(answer, { tool, names, asJson: values.json === true }, io);
  } finally {
    await gate.close(1_000);
  }
}

/** Shows on a terminal, in one redrawn line, that a long call is still running. */
function startProgressLine(tool: string, io: Io): { update(text: string): void; done(): void } {
  if (!io.isTTY || process.stderr.isTTY !== true) return { update: () => {}, done: () => {} };
  const start = performance.now();
  let note = '';
  const draw = (): void => io.err(`\r\u001B[K${tool} … ${Math.round((performance.now() - start) / 1000)} s ${note}`);
  const timer = setInterval(draw, 1000);
  return {
    update(text) {
      // The text comes from the tool (terminal injection).
      note = text.replaceAll(/[^\x20-\x7E]/g, '').slice(0, 60);
      draw();
    },
    done() {
      clearInterval(timer);
      // A short call has drawn nothing.
      if (performance.now() - start >= 1000) io.err('\r\u001B[K');
    },
  };
}

/** Prints the result; the exit code distinguishes failures from refusals. */
function report(
  { outcome, correlationId, durationMs }: Answer,
  { tool, names, asJson }: { readonly tool: string; readonly names: readonly string[]; readonly asJson: boolean },
  io: Io,
): number {
  if (asJson)
    io.out(
      `${JSON.stringify({ correlation_id: correlationId, duration_ms: Math.round(durationMs), ...outcome }, null, 2)}\n`,
    );
  if (outcome.kind === 'done') {
    if (!asJson) io.out(`${toReadableText(outcome.content, outcome.data)}\n`);
    return 0;
  }
  const error = outcome.kind === 'failed' ? outcome.error : outcome.question.otherwise;
  const isFailure = failureCodes.has(error.code);
  if (!asJson) {
    if (outcome.kind === 'failed' && (outcome.data !== undefined || outcome.content !== undefined))
      io.out(`${toReadableText(outcome.content ?? [], outcome.data)}\n`);
    io.err(
      `${isFailure ? 'failed' : 'refused'} (${error.code}): ${error.message}\n  ${callHint(error.code, tool, names) ?? recoveryOf(error)}\n  correlation id ${correlationId}\n`,
    );
  }
  return isFailure ? 1 : 3;
}
