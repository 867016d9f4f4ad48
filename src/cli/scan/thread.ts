// Scan worker thread: the analysis blocks its thread, and Ctrl-C in the main thread must still be handled.
import { parentPort, workerData } from 'node:worker_threads';
import {
  compareScans,
  formatDifferenceJson,
  formatDifferenceText,
  formatSurfaceJson,
  formatSurfaceText,
  scan,
  scanLive,
  scanSurface,
  type ScanReport,
} from '../../scanner/index.js';
import { scanNothing } from '../../scanner/scan.js';
import { delayOptimization } from '../../scanner/jit-tuning.js';
import { describeSystemError } from '../../lib/system-error.js';
import { fetchDependencies } from './dependencies.js';
import { exitCodeOf, formatReports } from './format.js';
import type { JobTarget, ScanJob, ScanMessage } from './job.js';

const send = (word: ScanMessage): void => parentPort?.postMessage(word, []);
const onProgress = (doing: string): void => send({ doing });

async function runJob(job: ScanJob): Promise<ScanMessage> {
  if (job.verb === 'surface') {
    const report = await scanSurface(job.targets[0]?.path ?? '', { heuristics: job.heuristics, onProgress });
    const text = job.format === 'json' ? formatSurfaceJson(report) : formatSurfaceText(report);
    return { text, code: job.strict && report.unresolved.length + report.skipped.length > 0 ? 1 : 0 };
  }
  const reports: { target: JobTarget; report: ScanReport }[] = [];
  for (const [begun, target] of job.targets.entries()) {
    send({ begun });
    reports.push({ target, report: await scanTarget(target, job) });
  }
  if (job.verb === 'scan')
    return { text: formatReports(job.format, reports), code: exitCodeOf(reports.map(({ report }) => report)) };
  const [before, after] = reports;
  if (!before || !after) return { refused: 'expected two versions to compare' };
  // Compared by what was found, not by line: a moved finding is not a new one.
  const found = compareScans(before.report, after.report);
  const isWorse = found.newFindings.some(({ severity }) => severity === 'critical' || severity === 'high');
  const text = job.format === 'json' ? formatDifferenceJson(found) : formatDifferenceText(found);
  // A new severe finding outweighs an incomplete scan, as in a plain scan.
  return { text, code: isWorse ? 1 : after.report.verdict === 'incomplete' ? 2 : 0 };
}

async function scanTarget(target: JobTarget, job: Exclude<ScanJob, { verb: 'surface' }>): Promise<ScanReport> {
  const { heuristics, failOn, baseline, rules } = job;
  const options = { heuristics, failOn, onProgress, ...(baseline ? { baseline } : {}), ...(rules ? { rules } : {}) };
  if (target.live) return scanLive(target.live, options);
  if (target.path === undefined) return scanNothing(target.gap ?? 'there is no source to analyse', options);
  try {
    // Only packages of a registry have exact versions that can be fetched; a folder is scanned with what is installed in it.
    const dependencies = target.mayDownload ? fetchDependencies() : 'installed';
    return await scan(target.path, { ...options, dependencies });
  } catch (error) {
    // One unreadable target must not hide the results of the others.
    if (job.targets.length === 1 || !(error instanceof Error) || !('code' in error)) throw error;
    return scanNothing(`cannot read the source: ${describeSystemError(error)}`, options);
  }
}

delayOptimization();
// Trusted: created by run.ts.
const job = workerData as ScanJob;
runJob(job).then(send, (error: unknown) => {
  // File system errors are reported to the user; anything else is a bug and must crash.
  if (!(error instanceof Error) || !('code' in error)) throw error;
  send({ refused: `cannot read ${JSON.stringify(job.targets[0]?.path)}: ${describeSystemError(error)}` });
});
