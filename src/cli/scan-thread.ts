// Reads a server in a thread of its own: following code blocks a thread for as long as it takes, and whoever waits must be able to stop it.
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
import { compileLate } from '../scanner/late-compiling.js';
import { version } from '../version.js';
import type { ScanJob, ScanWord } from './scan-job.js';

const say = (word: ScanWord): void => parentPort?.postMessage(word, []);
const onProgress = (doing: string): void => say({ doing });

async function done(job: ScanJob): Promise<ScanWord> {
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

compileLate();
// Written by our own side.
const job = workerData as ScanJob;
done(job).then(say, (error: unknown) => {
  // Only what the file system says is the caller's to know; anything else is a bug and must be seen as one.
  if (!(error instanceof Error) || !('code' in error)) throw error;
  say({ refused: `cannot read ${JSON.stringify(job.path)}: ${String(error.code)}` });
});
