import type { Module } from './ir/nodes.js';

const comment = /(?:#|\/\/|\/\*)\s*toolgate-ignore(?:-next-line)?\s+(TG-[A-Z-]+)\s*(?::|--|—)\s*(\S[^\n]{0,300})/;

/** The reason that a comment on a line, or on the line before, gives for silencing a rule; a comment without a reason does nothing. */
export function suppressionAt(module: Module | undefined, line: number, rule: string): string | undefined {
  if (!module) return undefined;
  for (const at of [line, line - 1]) {
    const start = module.lineStarts[at - 1];
    if (start === undefined) continue;
    const found = comment.exec(
      module.text.slice(start, (module.lineStarts[at] ?? module.text.length) - 1).slice(0, 2_000),
    );
    if (found?.[1] === rule && found[2]) return found[2].replace(/\*\/\s*$/, '').trim();
  }
  return undefined;
}
