import type { Guard } from '../core/guard.js';
import { guardSpec } from './guard-spec.js';

/** One guard for a list of guards, the first one outermost. */
const guardList =
  (guards: readonly Guard[]): Guard =>
  (tool, next) =>
    guards.reduceRight((inner, guard) => guard(tool, inner), next);

export const extensionsSpec = guardSpec({
  name: 'extensions',
  does: 'guards of the program that embeds the gateway',
  answers: 'any code',
  make: ({ extensions = [] }: { readonly extensions?: readonly Guard[] }) =>
    extensions.length === 0 ? undefined : guardList(extensions),
});
