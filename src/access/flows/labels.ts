import type { Tool } from '../../core/tool.js';
import { isNamedBy } from '../../core/tool.js';
import { glob } from '../../lib/text/glob.js';

/** Labels of a tool: declared ones, those its effects imply, and those the operator added or removed. */
export type LabelsOf = (tool: Tool) => readonly string[];

/** Settings of `flows` that concern labels. */
interface LabelOptions {
  readonly derive: boolean;
  /** Labels by tool name pattern; a leading `-` removes a label. */
  readonly labels: Readonly<Record<string, readonly string[]>>;
}

/** An open-world tool can exfiltrate data and returns content of untrusted sources. */
const openWorld = ['egress:external', 'untrusted:content'] as const;

/** Labels of tools by the settings of the operator; cached per tool, because every call asks. */
export function labeller({ derive, labels }: LabelOptions): LabelsOf {
  const assigned = Object.entries(labels).map(([pattern, given]) => ({ fits: glob(pattern), given }));
  const kept = new WeakMap<Tool, readonly string[]>();
  const labelsOf = (tool: Tool): readonly string[] => {
    const known = kept.get(tool);
    if (known !== undefined) return known;
    // Derived labels come first, so that the operator can remove them.
    const all = new Set([...tool.effects.labels, ...(derive && tool.effects.openWorld ? openWorld : [])]);
    for (const { fits, given } of assigned) {
      if (!isNamedBy(tool, fits)) continue;
      for (const label of given)
        if (label.startsWith('-')) all.delete(label.slice(1));
        else all.add(label);
    }
    const made = [...all];
    kept.set(tool, made);
    return made;
  };
  return (tool) => labelsOf(tool.labelledAs ?? tool);
}
