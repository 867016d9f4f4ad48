import { findInjectionSigns } from '../hostile-text/definition-injection.js';
import { definitionOf } from '../core/definition.js';
import type { Tool } from '../core/tool.js';
import { compareNames } from '../lib/text/look-alike.js';

/** A finding about the name or description of a tool that misleads a model, by accident or intent. */
interface ToolFinding {
  readonly tool: string;
  readonly rule:
    'short-description' | 'no-verb' | 'same-description' | 'similar-description' | 'look-alike' | 'suspect-text';
  readonly severity: 'error' | 'warning';
  readonly message: string;
}

/** Characters below which a description cannot state when to use a tool. */
const minDescriptionLength = 20;
/** Jaccard similarity of words above which a model cannot distinguish two descriptions. */
const tooSimilar = 0.8;
/** Bound of the pairwise comparison, which is quadratic. */
const maxCompared = 600;

/** Checks all tools together: useful descriptions, distinct names, no prompt injection. */
export function lintTools(tools: readonly Tool[]): readonly ToolFinding[] {
  return [
    ...tools.flatMap(lintDescription),
    ...tools.flatMap(lintInjection),
    ...lintPairs(tools.slice(0, maxCompared)),
  ];
}

/** A useful length, and a verb near the beginning. */
function lintDescription({ name, description }: Tool): readonly ToolFinding[] {
  const text = description.trim();
  if (text.length < minDescriptionLength)
    return [
      {
        tool: name,
        rule: 'short-description',
        severity: 'warning',
        message: `the description has ${text.length} characters; describe what the tool does and when to use it`,
      },
    ];
  // A description of what a tool does has a verb among its first words.
  return hasVerb(text)
    ? []
    : [
        {
          tool: name,
          rule: 'no-verb',
          severity: 'warning',
          message: 'the description does not start with what the tool does',
        },
      ];
}

/** Verbs that descriptions of tools begin with. */
const knownVerbs = new Set(
  'add analyse analyze apply ask attach build calculate call cancel check clear close compare compute connect convert copy count create decode delete describe detect diff disable discover download edit enable encode execute explain export extract fetch filter find format generate get give go import index inspect insert install invoke join kill launch list load look lookup manage match measure merge modify monitor move navigate notify open parse perform ping play post preview print process provide publish pull push put query read rebuild receive record refresh register remove rename render replace reply report request reset resolve restart restore retrieve return review run save say scan schedule search select send set show sort start stop store submit subscribe summarize summarise switch take tell test track transform translate trigger update upload use validate verify view wait watch write'.split(
    ' ',
  ),
);

/** Base forms of an inflected English word. */
const wordForms = (word: string): readonly string[] => [
  word,
  word.replace(/s$/, ''),
  word.replace(/es$/, ''),
  word.replace(/ies$/, 'y'),
  word.replace(/ing$/, ''),
  word.replace(/ing$/, 'e'),
];

/** Whether one of the first words is a verb. */
const hasVerb = (text: string): boolean =>
  (text.toLowerCase().match(/[a-z]+/g) ?? [])
    .slice(0, 12)
    .some((word) => wordForms(word).some((form) => knownVerbs.has(form)));

/** Signs of prompt injection in a definition. */
const lintInjection = (tool: Tool): readonly ToolFinding[] =>
  findInjectionSigns(definitionOf(tool))
    .slice(0, 3)
    .map(({ where, why, excerpt }) => ({
      tool: tool.name,
      rule: 'suspect-text',
      severity: 'error',
      message: `${where}: ${why} (${excerpt})`,
    }));

/** Compares tools pairwise: names across sources, descriptions everywhere. */
function lintPairs(tools: readonly Tool[]): readonly ToolFinding[] {
  const found: ToolFinding[] = [];
  const bags = tools.map(({ description }) => new Set(description.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? []));
  for (const [index, tool] of tools.entries()) {
    for (let other = 0; other < index; other += 1) {
      const known = tools[other];
      if (known === undefined) continue;
      // Similar names within one source are normal; across sources they may exploit the trust in the other (tool shadowing).
      const imitates =
        known.source === tool.source
          ? undefined
          : (compareNames(unprefixedName(tool), unprefixedName(known)) ??
            (unprefixedName(tool) === unprefixedName(known) ? 'named the same' : undefined));
      if (imitates !== undefined)
        found.push({
          tool: tool.name,
          rule: 'look-alike',
          severity: 'warning',
          message: `${imitates} as ${known.name} of source ${known.source}`,
        });
      const similar = similarity(bags[index], bags[other]);
      if (tool.description === known.description && tool.description !== '')
        found.push({
          tool: tool.name,
          rule: 'same-description',
          severity: 'warning',
          message: `has the same description as ${known.name}`,
        });
      else if (similar >= tooSimilar)
        found.push({
          tool: tool.name,
          rule: 'similar-description',
          severity: 'warning',
          message: `has almost the same description as ${known.name}`,
        });
    }
  }
  return found;
}

/** Name without the prefix of its source. */
const unprefixedName = ({ name, source }: Tool): string =>
  name.startsWith(`${source}__`) ? name.slice(source.length + 2) : name;

/** Jaccard similarity of two sets of words; 0 if their sizes alone rule it out. */
function similarity(a: ReadonlySet<string> = new Set(), b: ReadonlySet<string> = new Set()): number {
  if (a.size < 4 || b.size < 4 || Math.min(a.size, b.size) / Math.max(a.size, b.size) < tooSimilar) return 0;
  let common = 0;
  for (const word of a) if (b.has(word)) common += 1;
  return common / (a.size + b.size - common);
}
