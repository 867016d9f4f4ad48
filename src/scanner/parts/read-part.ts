import { loadPart } from '../project/load.js';
import { judgedProject } from '../scan.js';
import { surfaceOf } from '../surface/scan.js';
import type { PartAnswer, PartOrder, PartSetting } from './order.js';

/** Reads one part of a tree as if it stood alone. */
export async function readPart(setting: PartSetting, { paths, elsewhere, deadline }: PartOrder): Promise<PartAnswer> {
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
      told: [],
      gaps: surface.skipped.map(({ file, reason }) => ({ file, reason })),
    };
  }
  return judgedProject(project, new Map(), { limits, heuristics, ...(rules ? { rules } : {}) });
}
