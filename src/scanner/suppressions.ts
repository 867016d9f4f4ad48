import type { Module } from './ir/nodes.js';

/** A comment with a rule and a reason; without a reason it does not match. */
const ignoreComment = /(?:#|\/\/|\/\*)\s*toolgate-ignore(?:-next-line)?\s+(TG-[A-Z-]+)\s*(?::|--|—)\s*(\S[^\n]{0,300})/;

/** The reason in a `toolgate-ignore` comment on this line or the line before; a comment without a reason has no effect. */
export function suppressionAt(module: Module | undefined, line: number, rule: string): string | undefined {
  if (!module) return undefined;
  for (const at of [line, line - 1]) {
    const start = module.lineStarts[at - 1];
    if (start === undefined) continue;
    const found = ignoreComment.exec(
      // Bounded: a minified line would make the pattern slow (ReDoS).
      module.text.slice(start, (module.lineStarts[at] ?? module.text.length) - 1).slice(0, 2_000),
    );
    if (found?.[1] === rule && found[2]) return found[2].replace(/\*\/\s*$/, '').trim();
  }
  return undefined;
}
