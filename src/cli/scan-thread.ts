// Scan worker thread: the analysis blocks its thread, and Ctrl-C in the main thread must still be handled.
import { parentPort, workerData } from 'node:worker_threads';
import {
  formatSarif,
  formatScanJson,
  formatScanMarkdown,
  formatScanText,
  formatSurfaceJson,
  formatSurfaceText,
  scan,
  scanSurface,
} from '../scanner/index.js';
import { delayOptimization } from '../scanner/jit-tuning.js';
import { describeSystemError } from '../lib/system-error.js';
import { version } from '../version.js';
import type { ScanJob, ScanMessage } from './scan-job.js';

const send = (word: ScanMessage): void => parentPort?.postMessage(word, []);
const onProgress = (doing: string): void => send({ doing });

async function runJob(job: ScanJob): Promise<ScanMessage> {
  if (job.verb === 'surface') {
    const report = await scanSurface(job.path, { heuristics: job.heuristics, onProgress });
    const text = job.format === 'json' ? formatSurfaceJson(report) : formatSurfaceText(report);
    return { text, code: job.strict && report.unresolved.length + report.skipped.length > 0 ? 1 : 0 };
  }
  const { path, heuristics, failOn, baseline, rules: wanted } = job;
  const only = { ...(baseline ? { baseline } : {}), ...(wanted ? { rules: wanted } : {}) };
  const report = await scan(path, { heuristics, failOn, onProgress, ...only });
  const formats = {
    text: formatScanText,
    json: formatScanJson,
    markdown: formatScanMarkdown,
    sarif: () => formatSarif(report, version),
  };
  const codes = { clean: 0, findings: 1, incomplete: 2 };
  return { text: formats[job.format](report), code: codes[report.verdict] };
}

delayOptimization();
// Trusted: created by scan-run.ts.
const job = workerData as ScanJob;
runJob(job).then(send, (error: unknown) => {
  // File system errors are reported to the user; anything else is a bug and must crash.
  if (!(error instanceof Error) || !('code' in error)) throw error;
  send({ refused: `cannot read ${JSON.stringify(job.path)}: ${describeSystemError(error)}` });
});
