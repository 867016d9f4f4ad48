import type { Value } from '../../evaluate/values/values.js';
import { anyPath, proofBit, type Fact } from '../facts/facts.js';
import { qualifiedName } from '../facts/qualified-names.js';

/** Name of a list of path segments: a single segment cannot traverse further than `..`. */
export const pathSegments = '\u0000cut';

const slashes = /^\/\[?(?:\\?[/\\])+\]?\+?\/\w*$/;

/** Whether splitting at this string yields path segments. */
export const isSeparator = (at: Fact | undefined, text: string | undefined): boolean =>
  text === '/' || text === '\\' || separators.test(at?.name ?? '') || slashes.test(at?.name ?? '');

/** All bits a path check can prove. */
export const pathBits =
  anyPath |
  proofBit.prefixMatched |
  proofBit.lexicallyContained |
  proofBit.symlinksResolved |
  proofBit.containedByConfig;

const separators = /^(?:path|path\.posix|path\.win32|os|os\.path)\.sep$/;
const endsInSeparator = (text: string): boolean => /[/\\]$/.test(text);

/** Whether a prefix ends in a separator, so that it does not match sibling folders with a longer name. */
export const isClosedPrefix = (fact: Fact): boolean =>
  fact.isClosed === true || separators.test(fact.name ?? '') || (fact.value !== undefined && isClosedValue(fact.value));

function isClosedValue(value: Value): boolean {
  switch (value.kind) {
    case 'constant':
      return typeof value.value === 'string' && endsInSeparator(value.value);
    case 'text': {
      const last = value.parts.at(-1);
      return last !== undefined && (typeof last === 'string' ? endsInSeparator(last) : isClosedValue(last));
    }
    case 'list':
      // Optimistic: one closed entry makes the list count as closed, which can miss a sibling folder behind another entry.
      return value.items.some(isClosedValue);
    case 'choice':
      return value.options.some(isClosedValue);
    case 'result': {
      // `os.path.join(root, "")` adds the separator and nothing else.
      const last = value.args.positional.at(-1);
      return qualifiedName(value) === 'os.path.join()' && last?.kind === 'constant' && last.value === '';
    }
    case 'external':
      return separators.test(qualifiedName(value) ?? '');
    default:
      return false;
  }
}

/** Bits proved by a containment check; none if the path was not normalised first. */
export const containedBits = (path: Fact): number =>
  path.isResolved === true
    ? anyPath |
      proofBit.lexicallyContained |
      proofBit.containedByConfig |
      (path.isReal === true ? proofBit.symlinksResolved : 0)
    : 0;

/** Bits proved by a prefix check against a folder. */
export const containedByPrefix = (path: Fact, prefix: Fact): number =>
  path.isResolved !== true ? 0 : isClosedPrefix(prefix) ? containedBits(path) : proofBit.prefixMatched;

/** A normalised path contains no `..` any more, so searching it for `..` proves nothing. */
export const isNormalised = (fact: Fact): boolean =>
  (fact.lead !== undefined && /^path\.(?:posix\.)?join\(\)$/.test(fact.name ?? '')) ||
  /^(?:path\.resolve|os\.path\.(?:realpath|abspath)|fs.*\.realpath\w*)\(\)$/.test(fact.name ?? '') ||
  (fact.name === 'pathlib.Path()' && fact.isResolved === true);
