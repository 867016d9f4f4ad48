import { parseArgs } from 'node:util';
import type { Confirmation } from '../core/call.js';
import { readable } from '../core/content.js';
import { recoveryOf } from '../core/errors.js';
import type { Answer } from '../core/gateway.js';
import { askUser } from './ask-user.js';
import { argumentsOf } from './arguments.js';
import type { Io } from './io.js';
import { localGate } from './local-gate.js';

export const help = `Usage: toolgate call <tool> [name=value ...] [--args '{"json":"object"}' | --args @file] [--json] [--config file]

Runs one tool through every guard, in this process: no server is needed. Values that read as JSON (numbers, true, false,
lists, objects) are taken as such, everything else as text.

Exit codes: 0 the tool succeeded, 1 it failed, 2 the command line is wrong, 3 the call was refused.

Examples:
  toolgate call ping target=127.0.0.1 count=2
  toolgate call nmap target=192.168.1.0/28 template=quick dry_run=true
`;

const maxQuestions = 8;

/** Runs one tool. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const opened = await localGate(argv, io);
  if (!opened.ok) return 1;
  const { gate, user, rest } = opened;
  try {
    const { values, positionals } = parseArgs({
      args: [...rest],
      allowPositionals: true,
      options: { json: { type: 'boolean' }, args: { type: 'string' } },
    });
    const [tool, ...pairs] = positionals;
    if (tool === undefined) {
      io.err('toolgate call: which tool? toolgate tools lists them\n');
      return 2;
    }
    const args = argumentsOf(values.args, pairs);
    if (typeof args === 'string') {
      io.err(`toolgate call: ${args}\n`);
      return 2;
    }
    const line = progressLine(tool, io);
    // Only a person at a terminal can be asked.
    const canAsk = io.isTTY && process.stdin.isTTY === true;
    const attempt = (confirmation?: Confirmation): Promise<Answer> =>
      gate.gateway.call({
        tool,
        args,
        principal: user,
        via: 'cli',
        signal: io.signal,
        back: {
          ...(canAsk && { capabilities: { elicitation: {} } }),
          progress: ({ progress, total, message }) =>
            line.say(`${message ?? ''} ${progress}${total === undefined ? '' : `/${total}`}`),
        },
        ...(confirmation && { confirmation }),
      });
    let answer = await attempt();
    for (let round = 0; round < (canAsk ? maxQuestions : 0) && answer.outcome.kind === 'confirm'; round += 1) {
      line.done();
      answer = await attempt(await askUser(answer.outcome.question, io.signal));
    }
    line.done();
    return report(answer, values.json === true, io);
  } finally {
    await gate.close(1_000);
  }
}

/** One line that tells on a terminal that a long call is still running. */
function progressLine(tool: string, io: Io): { say(text: string): void; done(): void } {
  if (!io.isTTY || process.stderr.isTTY !== true) return { say: () => {}, done: () => {} };
  const start = Date.now();
  let note = '';
  const draw = (): void => io.err(`\r\u001B[K${tool} … ${Math.round((Date.now() - start) / 1000)} s ${note}`);
  const timer = setInterval(draw, 1000);
  return {
    say(text) {
      note = text.replaceAll(/[^\x20-\x7E]/g, '').slice(0, 60);
      draw();
    },
    done() {
      clearInterval(timer);
      if (Date.now() - start >= 1000) io.err('\r\u001B[K');
    },
  };
}

function report({ outcome, correlationId, durationMs }: Answer, asJson: boolean, io: Io): number {
  if (asJson)
    io.out(
      `${JSON.stringify({ correlation_id: correlationId, duration_ms: Math.round(durationMs), ...outcome }, null, 2)}\n`,
    );
  if (outcome.kind === 'done') {
    if (!asJson) io.out(`${readable(outcome.content, outcome.data)}\n`);
    return 0;
  }
  const error = outcome.kind === 'failed' ? outcome.error : outcome.question.otherwise;
  if (!asJson) {
    if (outcome.kind === 'failed' && (outcome.data !== undefined || outcome.content !== undefined))
      io.out(`${readable(outcome.content ?? [], outcome.data)}\n`);
    io.err(
      `refused or failed (${error.code}): ${error.message}\n  ${recoveryOf(error)}\n  correlation id ${correlationId}\n`,
    );
  }
  return ['execution_failed', 'timeout', 'crashed', 'upstream_error', 'upstream_refused', 'network_error'].includes(
    error.code,
  )
    ? 1
    : 3;
}
