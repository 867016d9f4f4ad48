import { frame, toCountFrame } from './frames.js';
import type { Entry, Exit } from './messages.js';
import type { Finished, Refused, RunOptions, RunResult } from './spec.js';

const creditEveryBytes = 64 * 1024;
const brokerPatienceMs = 15_000;

/** Follows one program to its end, collecting what the broker lets through. */
export function runEntry(
  id: number,
  send: (bytes: Buffer) => void,
  options: RunOptions,
  graceMs: number,
  resolve: (result: RunResult) => void,
): Entry {
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  let uncredited = 0;
  const cancel = (): void => send(toCountFrame(frame.kill, id, graceMs));
  options.signal?.addEventListener('abort', cancel, { once: true });

  const end = (result: RunResult): true => {
    options.signal?.removeEventListener('abort', cancel);
    resolve(result);
    return true;
  };

  const collect = (stream: 'stdout' | 'stderr', payload: Buffer): false => {
    const chunk = Buffer.from(payload); // the frame lies in a large read buffer which a small slice would keep alive
    (stream === 'stdout' ? stdout : stderr).push(chunk);
    uncredited += chunk.length;
    if (uncredited >= creditEveryBytes) {
      send(toCountFrame(frame.credit, id, uncredited));
      uncredited = 0;
    }
    options.onOutput?.(stream, chunk);
    return false;
  };

  return {
    dueAt: performance.now() + options.timeoutMs + graceMs + brokerPatienceMs,
    lost: (refusal) => void end(refusal),
    take(kind, payload) {
      if (kind === frame.stdout) return collect('stdout', payload);
      if (kind === frame.stderr) return collect('stderr', payload);
      if (kind === frame.refused) return end(JSON.parse(payload.toString()) as Refused); // written by our own broker
      if (kind !== frame.exit) return false;
      const { refused, ...exit } = JSON.parse(payload.toString()) as Exit; // likewise
      if (refused !== undefined) return end(refused);
      const finished: Finished = {
        kind: 'finished',
        ...exit,
        stdout: Buffer.concat(stdout),
        stderr: Buffer.concat(stderr),
      };
      return end(finished);
    },
  };
}
