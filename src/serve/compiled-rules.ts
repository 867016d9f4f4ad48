import type { RuleProblem } from '../access/policy.js';
import type { Good } from '../config/load.js';
import { problemLine } from '../config/problem.js';
import type { Config } from '../config/schema.js';
import type { Registry } from '../registry/registry.js';
import { type Remembered, type Rules, rulesOf } from './access.js';

/** The rules of a configuration; what is wrong with them is thrown with its place, since nothing may start without them. */
export function compiled(config: Config, remembered: Remembered, loaded?: Good): Rules {
  const made = rulesOf(config, remembered);
  if (!made.ok) throw new Error(told(made.problems, loaded));
  return made.rules;
}

/** Names in rules that nothing has and nothing can still bring. */
export const misspelt = (rules: Rules, known: Registry): readonly RuleProblem[] =>
  rules.unknown(known).filter(({ mayCome }) => !mayCome);

export const told = (problems: readonly RuleProblem[], loaded?: Good): string =>
  problems
    .map(({ path, message }) =>
      problemLine({ file: loaded?.file ?? 'configuration', ...loaded?.place(path), path, message }),
    )
    .join('\n');
