import type { Gap } from '../report.js';

/** Gaps of one sort. */
interface GapGroup {
  readonly title: string;
  /** The first few, and the number of the others. */
  readonly lines: readonly string[];
}

const maxPerGroup = 3;

/** At most this many examples, and a line with the number of the others. */
export const firstFew = (lines: readonly string[]): readonly string[] =>
  lines.length > maxPerGroup ? [...lines.slice(0, maxPerGroup), `and ${lines.length - maxPerGroup} more`] : lines;

/** Groups gaps by what they have in common, in order of first appearance. */
export function groupGaps(gaps: readonly Gap[]): readonly GapGroup[] {
  const groups = new Map<string, Gap[]>();
  for (const gap of gaps) {
    const key = gap.group ?? gap.reason;
    groups.set(key, [...(groups.get(key) ?? []), gap]);
  }
  return [...groups].map(([group, all]) => {
    const [only] = all;
    if (only && only.group === undefined && all.length === 1)
      return { title: `${only.file}: ${only.reason}`, lines: [] };
    return only?.group === undefined
      ? { title: `${all.length} files: ${group}`, lines: firstFew(all.map(({ file }) => file)) }
      : { title: `${all.length} ${group}`, lines: firstFew(all.map(({ file, reason }) => `${file}: ${reason}`)) };
  });
}
