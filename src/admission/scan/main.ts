// Entry of the scan process. Separate from the gateway, so that hostile code cannot exhaust the gateway's CPU or memory.
import { setPriority } from 'node:os';
import { delayOptimization } from '../../scanner/jit-tuning.js';
import { isLarge } from '../../scanner/parts/scan-tree.js';
import { defaultLimits, loadWithImports, loadFiles } from '../../scanner/project/load.js';
import { walkFiles } from '../../scanner/project/walk.js';
import type { ScanReport } from '../../scanner/report.js';
import { scanProject, scanFiles, surfaceHash } from '../../scanner/scan.js';
import type { SurfaceReport } from '../../scanner/surface/report.js';
import { surfaceOf } from '../../scanner/surface/scan.js';
import { readTextFiles } from '../../scanner/text-files.js';
import { reachableModules } from './reachable-modules.js';
import type { ScanResult, ScanRequest } from './result.js';
import { findSkippedFolders } from './skipped-folders.js';

interface ScanOutput {
  readonly report: ScanReport;
  /** Surface of the entry script only: the folder may contain other servers. */
  readonly surface: SurfaceReport;
}

const maxListed = 200;

try {
  // Calls have priority over scans.
  setPriority(10);
} catch {
  // Not permitted on every platform; the scan then runs at normal priority.
}

delayOptimization();
// The gateway passes the request as the only argument.
const { root, entry, timeoutMs } = JSON.parse(process.argv[2] ?? '{}') as ScanRequest;
const maxSteps = 10;
const scanLimits = { ...defaultLimits, timeoutMs };
const walked = await walkFiles(root, scanLimits);
const { report, surface } = await (isLarge(walked) ? scanParts() : scanWhole());
const result: ScanResult = {
  surfaceHash: surfaceHash(surface),
  // Suppression comments are ignored: a malicious server would suppress its own findings.
  findings: report.findings
    .filter(({ kind }) => kind === 'bug')
    .slice(0, maxListed)
    .map((finding) => ({ ...finding, suppressed: undefined, flow: boundedFlow(finding.flow) })),
  gaps: [...(entry === undefined ? await findSkippedFolders(root) : []), ...report.gaps].slice(0, maxListed),
  capabilities: report.capabilities.slice(0, 2_000),
  surface: {
    ...surface,
    authSignals: [],
    unresolved: surface.unresolved.slice(0, maxListed),
    skipped: surface.skipped.slice(0, maxListed),
  },
};
process.stdout.write(JSON.stringify(result));

/** Path from parameter to sink with its ends; the middle of a long one is left out. */
function boundedFlow(flow: ScanResult['findings'][number]['flow']): typeof flow {
  if (flow === undefined || flow.length <= 2 * maxSteps) return flow;
  return [...flow.slice(0, maxSteps), ...flow.slice(-maxSteps)];
}

async function scanWhole(): Promise<ScanOutput> {
  const project = await loadFiles(walked, scanLimits);
  const report = scanProject(project, readTextFiles(walked), { limits: scanLimits });
  return {
    report,
    surface: entry === undefined ? report.surface : surfaceOf(reachableModules(project, entry), { limits: scanLimits }),
  };
}

/** Scans a large folder in parts within one time limit: each part gets a fifth, the total is four times that. */
async function scanParts(): Promise<ScanOutput> {
  const within = { ...scanLimits, timeoutMs: timeoutMs / 5 };
  // One worker: the CPU limit of the process counts all threads.
  const report = await scanFiles(walked, { limits: within, large: { workers: 1 } });
  if (entry === undefined) return { report, surface: report.surface };
  return { report, surface: surfaceOf(await loadWithImports(walked, entry, within), { limits: within }) };
}
