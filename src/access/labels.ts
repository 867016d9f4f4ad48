import type { Tool } from '../core/tool.js';
import { glob } from '../lib/glob.js';

/** The labels of a tool: what it declares, what its effects imply, what the operator added or took away. */
export type LabelsOf = (tool: Tool) => readonly string[];

export interface LabelOptions {
  readonly derive: boolean;
  /** Labels by pattern of tool names; a leading `-` takes one away. */
  readonly labels: Readonly<Record<string, readonly string[]>>;
}

/** Whoever calls into the open world can carry something out, and brings back what a stranger wrote. */
const openWorld = ['egress:external', 'untrusted:content'] as const;

export function labeller({ derive, labels }: LabelOptions): LabelsOf {
  const assigned = Object.entries(labels).map(([pattern, given]) => ({ fits: glob(pattern), given }));
  const kept = new WeakMap<Tool, readonly string[]>();
  return (tool) => {
    const known = kept.get(tool);
    if (known !== undefined) return known;
    const all = new Set([...tool.effects.labels, ...(derive && tool.effects.openWorld ? openWorld : [])]);
    for (const { fits, given } of assigned) {
      if (!fits(tool.name)) continue;
      for (const label of given)
        if (label.startsWith('-')) all.delete(label.slice(1));
        else all.add(label);
    }
    const made = [...all];
    kept.set(tool, made);
    return made;
  };
}
