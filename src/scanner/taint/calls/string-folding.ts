import { stringMethod } from '../../evaluate/builtins/strings.js';
import type { Place } from '../../evaluate/values/values.js';
import { plainConstant } from '../facts/combine.js';
import type { Fact } from '../facts/facts.js';
import type { CallArgs } from './functions.js';

/**
 * Result of a method of a known string, such as `name.trim()` or `name.startsWith('git_')`. Dispatchers normalise the tool name before they
 * compare it; without its value every tool would be analysed through the branches of all others.
 */
export function foldedString(
  method: string,
  receiver: Fact | undefined,
  given: Pick<CallArgs, 'positional' | 'named' | 'rest'>,
  at: Place,
): Fact | undefined {
  const self = receiver && plainConstant(receiver);
  if (typeof self?.value !== 'string' || given.named.size + given.rest.length > 0) return undefined;
  const known = given.positional.flatMap((fact) => plainConstant(fact) ?? []);
  if (known.length < given.positional.length) return undefined;
  const folded = stringMethod(self, method);
  if (folded.kind !== 'native') return undefined;
  const value = folded.call({ positional: known, named: new Map(), open: false }, at);
  return value.kind === 'constant' ? { taints: [], value } : undefined;
}
