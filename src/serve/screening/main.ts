// Reads one server's source in a process of its own, so that hostile code can cost neither the gateway's time nor its memory.
import { setPriority } from 'node:os';
import { defaultLimits, loadWalked } from '../../scanner/project/load.js';
import { walkFiles } from '../../scanner/project/walk.js';
import { scanProject, surfaceHash } from '../../scanner/scan.js';
import { surfaceOf } from '../../scanner/surface/scan.js';
import { readTexts } from '../../scanner/texts.js';
import { ownModules } from './own-modules.js';
import type { Reading, ReadingOrder } from './reading.js';
import { unentered } from './unentered.js';

const maxListed = 200;

try {
  // Whoever uses the gateway comes first.
  setPriority(10);
} catch {
  // Not every machine lets it.
}

// Written by our own side as the only argument.
const { root, entry, timeoutMs } = JSON.parse(process.argv[2] ?? '{}') as ReadingOrder;
const limits = { ...defaultLimits, timeoutMs };
const walked = await walkFiles(root, limits);
const project = await loadWalked(walked, limits);
const report = scanProject(project, readTexts(walked), { limits });
const surface = entry === undefined ? report.surface : surfaceOf(ownModules(project, entry), { limits });
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
