import type { Value } from '../evaluate/values.js';
import { anyPath, known, type Fact } from './facts.js';
import { nameOfValue } from './names.js';

/** The name of a list of the parts of a path: each of them is one step and leads out of no folder. */
export const cutPath = '\u0000cut';

const slashes = /^\/\[?(?:\\?[/\\])+\]?\+?\/\w*$/;

/** Whether a text that is cut at this is cut into the parts of a path. */
export const isSeparator = (at: Fact | undefined, text: string | undefined): boolean =>
  text === '/' || text === '\\' || separators.test(at?.name ?? '') || slashes.test(at?.name ?? '');

/** Everything that a check of a path can say. */
export const ofPath = anyPath | known.prefixed | known.spelled | known.followed | known.byMode;

const separators = /^(?:path|path\.posix|path\.win32|os|os\.path)\.sep$/;
const endsInSeparator = (text: string): boolean => /[/\\]$/.test(text);

/** Whether a prefix ends in a separator, so that it means a folder and not also its neighbours of a longer name. */
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
      return value.items.some(isClosedValue);
    case 'choice':
      return value.options.some(isClosedValue);
    case 'result': {
      // `os.path.join(root, "")` adds the separator and nothing else.
      const last = value.args.positional.at(-1);
      return nameOfValue(value) === 'os.path.join()' && last?.kind === 'constant' && last.value === '';
    }
    case 'external':
      return separators.test(nameOfValue(value) ?? '');
    default:
      return false;
  }
}

/** What a path is known to be once it was found inside a folder. */
export const held = (path: Fact): number =>
  path.isResolved === true ? anyPath | known.spelled | known.byMode | (path.isReal === true ? known.followed : 0) : 0;

/** What a path is known to be once it was found to begin as a folder does. */
export const heldByPrefix = (path: Fact, prefix: Fact): number =>
  path.isResolved !== true ? 0 : isClosedPrefix(prefix) ? held(path) : known.prefixed;
