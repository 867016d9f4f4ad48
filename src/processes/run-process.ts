import { frame, toCountFrame } from './broker/frames.js';
import type { ProcessEntry, ExitReport } from './broker/messages.js';
import type { Finished, Refused, RunOptions, RunResult } from './process-spec.js';

const creditEveryBytes = 64 * 1024;
// Beyond timeout and grace the broker itself is considered stuck.
const brokerTimeoutMs = 15_000;

/** Tracks one program until it exits and collects its output. */
export function runEntry(
  id: number,
  send: (bytes: Buffer) => void,
  options: RunOptions,
  graceMs: number,
  resolve: (result: RunResult) => void,
): ProcessEntry {
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  let uncredited = 0;
  const cancel = (): void => send(toCountFrame(frame.kill, id, graceMs));
  // An aborted call kills the tree; the entry ends only with the exit frame, when nothing is left.
  options.signal?.addEventListener('abort', cancel, { once: true });

  const end = (result: RunResult): true => {
    // Without this, a signal shared by many calls would collect listeners (memory leak).
    options.signal?.removeEventListener('abort', cancel);
    resolve(result);
    return true;
  };

  const collect = (stream: 'stdout' | 'stderr', payload: Buffer): false => {
    const chunk = Buffer.from(payload); // copied: a slice would keep the large read buffer alive
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
    dueAt: performance.now() + options.timeoutMs + graceMs + brokerTimeoutMs,
    lost: (refusal) => void end(refusal),
    take(kind, payload) {
      if (kind === frame.stdout) return collect('stdout', payload);
      if (kind === frame.stderr) return collect('stderr', payload);
      if (kind === frame.refused) return end(JSON.parse(payload.toString()) as Refused); // trusted: written by the broker
      if (kind !== frame.exit) return false;
      const { refused, ...exit } = JSON.parse(payload.toString()) as ExitReport; // trusted as above
      // The launcher failed before the program ran, so there is no result.
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
