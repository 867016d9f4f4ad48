import { loadPart } from '../project/load.js';
import { analyseProject } from '../scan.js';
import { surfaceOf } from '../surface/scan.js';
import type { PartResult, PartRequest, PartSettings } from './messages.js';

/** Scans one part of a tree as a separate project. */
export async function scanPart(
  setting: PartSettings,
  { paths, elsewhere, deadline }: PartRequest,
): Promise<PartResult> {
  const { tree, heuristics, rules, surfaceOnly } = setting;
  const timeoutMs = Math.max(1, Math.min(setting.limits.timeoutMs, deadline - Date.now()));
  const limits = { ...setting.limits, timeoutMs };
  const project = await loadPart(tree, paths, { elsewhere }, limits);
  if (surfaceOnly) {
    const surface = surfaceOf(project, { heuristics, limits });
    return {
      surface,
      findings: [],
      capabilities: [],
      coverage: [],
      comparableTools: [],
      gaps: surface.skipped.map(({ file, reason }) => ({ file, reason })),
    };
  }
  return analyseProject(project, new Map(), { limits, heuristics, ...(rules ? { rules } : {}) });
}
