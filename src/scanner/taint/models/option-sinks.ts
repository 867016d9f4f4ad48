import type { Fact } from '../facts/facts.js';
import { taintsIn } from '../facts/facts.js';
import { isModelled } from './models.js';
import { hasDangerousOptions } from './tables/programs.js';
import type { Hit, CallSite } from './sinks.js';

/** Long options without a value: the next word is positional. */
const flagOptions =
  /^--(?:no-.*|all|amend|bare|cached|check|color|continue|delete|detach|dry-run|exact|exclude-standard|fail|force|global|graph|hard|head|help|heads|id-only|include|insecure|json|left-right|list|local|location|mixed|name-only|name-status|no\w*|numstat|oneline|patch|porcelain|prune|quiet|rebase|recursive|relative|remote|remotes|save|set-upstream|shallow-\w+|short|show-\w+|silent|soft|sort|staged|stat|symbolic|tags|track|untracked|update|verbose|verify|version|xml|yes)$/;

/** Tainted words in a position where the program parses options. */
export function optionSink(parts: readonly Fact[], words: readonly string[]): readonly Hit[] {
  // Path and extension do not change which options a program has.
  const program = (words[0] ?? '').replace(/^.*[/\\]/, '').replace(/\.exe$/, '');
  if (!hasDangerousOptions.has(program)) return [];
  const { facts, line } = positionals(parts.slice(1), words.slice(1), program === 'ssh' ? 1 : Infinity);
  const found: Hit[] = facts.length === 0 ? [] : [{ rule: 'argument', facts, what: `the options of ${program}` }];
  // ssh passes everything after the host to the remote shell.
  return line.length === 0
    ? found
    : [...found, { rule: 'command', facts: line, what: `the remote shell of ${program}` }];
}

/** Words parsed as options if they begin with a dash: not those after `--`, nor the value of an option. */
function positionals(
  parts: readonly Fact[],
  words: readonly string[],
  most: number,
): { readonly facts: readonly Fact[]; readonly line: readonly Fact[] } {
  const facts: Fact[] = [];
  let isOver = false;
  let count = 0;
  for (const [at, part] of parts.entries()) {
    const word = words[at] ?? '';
    if (count >= most) return { facts, line: parts.slice(at) };
    if (word === '--') isOver = true;
    // An option itself is constant here; only its position matters.
    else if (word.startsWith('-') && !isOver) continue;
    else if (takesValue(words[at - 1] ?? '') && !isOver) continue;
    else {
      count += 1;
      if (!isOver && startsTainted(part)) facts.push(part);
    }
  }
  return { facts, line: [] };
}

const takesValue = (word: string): boolean =>
  word.startsWith('-') && word !== '--' && !word.includes('=') && !flagOptions.test(word);

/** Whether the string begins with tainted data, so that the caller can supply the dash. */
const startsTainted = (fact: Fact): boolean =>
  (fact.lead === undefined || fact.lead === '') && taintsIn(fact).length > 0;

/** Option constant among the possible values of a word. */
export const optionAmong = ({ value }: Fact): string =>
  value?.kind === 'choice'
    ? (value.options.flatMap((option) =>
        option.kind === 'constant' && typeof option.value === 'string' && option.value.startsWith('-')
          ? [option.value]
          : [],
      )[0] ?? '')
    : '';

/** Whether this is a GitPython command, whose arguments become words of a git command line. */
export const isGitMethod = (name: string): boolean => isModelled('git-words', name);

/** Argument injection through GitPython. */
export function gitSink(call: CallSite): readonly Hit[] {
  const words = call.args.map((arg) => call.textOf(arg) ?? optionAmong(arg));
  const { facts } = positionals(call.args, words, Infinity);
  return facts.length === 0 ? [] : [{ rule: 'argument', facts, what: call.name.replace(/^\?\./, '') }];
}
