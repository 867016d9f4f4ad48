// Reads one server's source in a process of its own, so that hostile code can cost neither the gateway's time nor its memory.
import { setPriority } from 'node:os';
import { compileLate } from '../../scanner/late-compiling.js';
import { isLarge } from '../../scanner/parts/scan-tree.js';
import { defaultLimits, loadReached, loadWalked } from '../../scanner/project/load.js';
import { walkFiles } from '../../scanner/project/walk.js';
import type { ScanReport } from '../../scanner/report.js';
import { scanProject, scanWalked, surfaceHash } from '../../scanner/scan.js';
import type { SurfaceReport } from '../../scanner/surface/report.js';
import { surfaceOf } from '../../scanner/surface/scan.js';
import { readTexts } from '../../scanner/texts.js';
import { ownModules } from './own-modules.js';
import type { Reading, ReadingOrder } from './reading.js';
import { unentered } from './unentered.js';

interface Told {
  readonly report: ScanReport;
  /** Of the script that is started, where the folder may hold others as well. */
  readonly surface: SurfaceReport;
}

const maxListed = 200;

try {
  // Whoever uses the gateway comes first.
  setPriority(10);
} catch {
  // Not every machine lets it.
}

compileLate();
// Written by our own side as the only argument.
const { root, entry, timeoutMs } = JSON.parse(process.argv[2] ?? '{}') as ReadingOrder;
const limits = { ...defaultLimits, timeoutMs };
const walked = await walkFiles(root, limits);
const { report, surface } = await (isLarge(walked) ? inParts() : atOnce());
const reading: Reading = {
  surfaceHash: surfaceHash(surface),
  // A comment in the code may not speak for the code: what it asks to be silent about counts here.
  findings: report.findings
    .filter(({ kind }) => kind === 'bug')
    .slice(0, maxListed)
    .map((finding) => ({ ...finding, suppressed: undefined, flow: undefined })),
  gaps: [...(entry === undefined ? await unentered(root) : []), ...report.gaps].slice(0, maxListed),
  capabilities: report.capabilities.slice(0, 2_000),
  surface: {
    ...surface,
    authSignals: [],
    unresolved: surface.unresolved.slice(0, maxListed),
    skipped: surface.skipped.slice(0, maxListed),
  },
};
process.stdout.write(JSON.stringify(reading));

async function atOnce(): Promise<Told> {
  const project = await loadWalked(walked, limits);
  const report = scanProject(project, readTexts(walked), { limits });
  return { report, surface: entry === undefined ? report.surface : surfaceOf(ownModules(project, entry), { limits }) };
}

/** A folder that is too large for one reading, within the time of one: all parts together have four times what each has. */
async function inParts(): Promise<Told> {
  const within = { ...limits, timeoutMs: timeoutMs / 5 };
  // One at a time: the time that all threads take together is limited.
  const report = await scanWalked(walked, { limits: within, large: { workers: 1 } });
  if (entry === undefined) return { report, surface: report.surface };
  return { report, surface: surfaceOf(await loadReached(walked, entry, within), { limits: within }) };
}
