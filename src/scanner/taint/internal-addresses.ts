import type { FunctionNode, Module } from '../ir/nodes.js';

const internal =
  /localhost|127\\?\.|169\\?\.254|192\\?\.168|\b10\\?\.|172\\?\.|::1|metadata|0\\?\.0\\?\.0\\?\.0|\.internal|fc00|fe80|is_private|is_loopback|is_link_local|isPrivate|isLoopback|BlockList|\.range\(\)/gi;

/** Whether a text names several kinds of address that lie inside a network. */
export const namesInternal = (text: string): boolean =>
  new Set((text.match(internal) ?? []).map((each) => each.toLowerCase())).size >= 3;

const refuses = /private|internal|local|block|reserved|forbid|unsafe|den(?:y|ied)|loopback|ssrf|metadata/i;
const permits = /public|safe|allow|valid|external|permit|ok$/i;

/** What the answer of a function that knows internal addresses means: true says so, or true says the contrary. */
export function asksForInternal(fn: FunctionNode, module: Module): 'refuses' | 'permits' | undefined {
  const name = fn.name ?? '';
  if (!knowledge(fn, module).knows) return undefined;
  return refuses.test(name) && !/^(?:is_?)?(?:not|non)/i.test(name)
    ? 'refuses'
    : permits.test(name)
      ? 'permits'
      : undefined;
}

interface Knowledge {
  readonly knows: boolean;
  readonly fails: boolean;
}

const known = new WeakMap<FunctionNode, Knowledge>();

/** What the text of a function says of internal addresses, looked at once. */
function knowledge(fn: FunctionNode, module: Module): Knowledge {
  const before = known.get(fn);
  if (before) return before;
  const text = module.text.slice(fn.start, Math.min(fn.end, fn.start + 6_000));
  const knows = namesInternal(text);
  const made = { knows, fails: knows && /\b(?:throw|raise)\b/.test(text) };
  known.set(fn, made);
  return made;
}

/** Whether a function fails for internal addresses, so that whoever gets past it was looked at. */
export const failsForInternal = (fn: FunctionNode, module: Module): boolean => knowledge(fn, module).fails;
