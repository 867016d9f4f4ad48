import { availableParallelism } from 'node:os';
import { packageFile } from '../../lib/package-file.js';
import { semaphore } from '../../lib/semaphore.js';
import type { Processes } from '../../processes/index.js';
import { scanSandbox } from './sandbox.js';
import type { ScanResult, ScanRequest, ScanFailure } from './result.js';

// Always the built file: Node starts it directly, even if a test runner loads this module as TypeScript.
const scanMainFile = packageFile('dist/admission/scan/main.js');
// The result comes from a process that parsed hostile code; a larger one is refused.
const maxResultBytes = 32 * 1024 * 1024;

/** Scans the code of a server in a separate process; a time-out, an excess of memory or a crash returns a failure. */
export type RunScan = (order: ScanRequest & { readonly memoryMb: number }) => Promise<ScanResult | ScanFailure>;

/** Runs at most two scans concurrently, so that a gateway with many sources stays responsive while it starts. */
export function scanRunner(
  processes: Pick<Processes, 'run' | 'tiers'>,
  onWeakSandbox: (why: string) => void = () => {},
): RunScan {
  // Reported once: every scan on this machine has the same weakness.
  let isReported = false;
  const slots = semaphore({
    // One core stays free for calls.
    slots: Math.max(1, Math.min(2, availableParallelism() - 1)),
    queue: 1_000,
    queueTimeoutMs: 3_600_000,
  });
  return async ({ memoryMb, ...order }) => {
    const entered = await slots.acquire('', new AbortController().signal);
    if (entered !== true && entered !== 'acquired') return { unread: 'too many scans are queued' };
    try {
      const { root, spec, weakness } = await scanSandbox(order.root, await processes.tiers());
      if (weakness !== undefined && !isReported) onWeakSandbox(weakness);
      isReported ||= weakness !== undefined;
      const result = await processes.run(
        {
          ...spec,
          // The heap limit of V8 ends the process before the machine swaps.
          args: [`--max-old-space-size=${memoryMb}`, scanMainFile, JSON.stringify({ ...order, root })],
          // CPU time above the timeout: the timeout should end a scan, the limit only one that ignores it.
          limits: { openFiles: 256, cpuSeconds: Math.ceil(order.timeoutMs / 1000) + 30 },
        },
        // Killed at the cap: a truncated result cannot be parsed anyway.
        { timeoutMs: order.timeoutMs + 5_000, maxStdoutBytes: maxResultBytes, maxStderrBytes: 4_096, onCap: 'kill' },
      );
      if (result.kind === 'refused') return { unread: `the scan could not start: ${result.message}` };
      if (result.timedOut) return { unread: `the scan took longer than ${order.timeoutMs / 1000} s` };
      // Each way to fail has its own reason, because the operator decides by it.
      if (result.truncatedStdout) return { unread: 'the scan result is too large' };
      if (result.code !== 0)
        return {
          unread: `the scan process exited unexpectedly (${result.signal ?? `exit code ${result.code}`}), out of memory or by a crash`,
        };
      return JSON.parse(result.stdout.toString('utf8')) as ScanResult; // written by scan/main.ts
    } catch {
      return { unread: 'the scan result cannot be parsed' };
    } finally {
      slots.release();
    }
  };
}
