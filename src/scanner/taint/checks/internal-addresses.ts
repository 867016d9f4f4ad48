import type { FunctionNode, Module } from '../../ir/nodes.js';

const internalAddresses =
  /localhost|127\\?\.|169\\?\.254|192\\?\.168|\b10\\?\.|172\\?\.|::1|metadata|0\\?\.0\\?\.0\\?\.0|\.internal|fc00|fe80|is_private|is_loopback|is_link_local|isPrivate|isLoopback|BlockList|\.range\(\)/gi;

/** Whether a text mentions at least three kinds of internal address (loopback, private, link-local, metadata): an SSRF check. */
export const mentionsInternalAddresses = (text: string): boolean =>
  // Three different kinds: fewer occur by chance, for example in a default host.
  new Set((text.match(internalAddresses) ?? []).map((each) => each.toLowerCase())).size >= 3;

const rejectingNames = /private|internal|local|block|reserved|forbid|unsafe|den(?:y|ied)|loopback|ssrf|metadata/i;
const permittingNames = /public|safe|allow|valid|external|permit|ok$/i;

/** Polarity of a project function that tests for internal addresses: whether true rejects or permits. */
export function internalAddressTest(fn: FunctionNode, module: Module): 'refuses' | 'permits' | undefined {
  const name = fn.name ?? '';
  if (!addressHandling(fn, module).isAware) return undefined;
  // `isNotPrivate` has the opposite polarity of `isPrivate`.
  return rejectingNames.test(name) && !/^(?:is_?)?(?:not|non)/i.test(name)
    ? 'refuses'
    : permittingNames.test(name)
      ? 'permits'
      : undefined;
}

interface AddressHandling {
  readonly isAware: boolean;
  readonly throws: boolean;
}

const handlingByFunction = new WeakMap<FunctionNode, AddressHandling>();

/** Whether the body of a function handles internal addresses, and throws for them; memoised. */
function addressHandling(fn: FunctionNode, module: Module): AddressHandling {
  const before = handlingByFunction.get(fn);
  if (before) return before;
  // Bounded: a helper is short, and a whole bundle inside one function mentions everything.
  const text = module.text.slice(fn.start, Math.min(fn.end, fn.start + 6_000));
  const isAware = mentionsInternalAddresses(text);
  const handling = { isAware, throws: isAware && /\b(?:throw|raise)\b/.test(text) };
  handlingByFunction.set(fn, handling);
  return handling;
}

/** Whether a function throws for internal addresses: its argument is safe from SSRF once it returns. */
export const throwsOnInternal = (fn: FunctionNode, module: Module): boolean => addressHandling(fn, module).throws;
