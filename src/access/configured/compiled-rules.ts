import type { RuleProblem } from '../policy/policy.js';
import type { LoadedConfig } from '../../config/load.js';
import { problemLine } from '../../config/problem.js';
import type { Config } from '../../config/schema.js';
import type { SourceKind } from '../../sources/kind.js';
import type { RegistryState } from '../../registry/registry.js';
import type { CallerMemory } from './caller-memory.js';
import { type Rules, compileAccess } from './rules.js';

/** Compiles the rules of a configuration; throws their problems with file and line, since a gateway must not start without them. */
export function compileOrThrow(
  config: Config,
  remembered: CallerMemory,
  loaded?: LoadedConfig,
  kinds?: readonly SourceKind[],
): Rules {
  const made = compileAccess(config, remembered, kinds);
  if (!made.ok) throw new Error(formatRuleProblems(made.problems, loaded));
  return made.rules;
}

/** Names in rules that match no tool and no pending source. */
export const unresolvableNames = (rules: Rules, known: RegistryState): readonly RuleProblem[] =>
  rules.unknown(known).filter(({ mayAppear: mayCome }) => !mayCome);

/** Formats problems as lines with file, line and key. */
export const formatRuleProblems = (problems: readonly RuleProblem[], loaded?: LoadedConfig): string =>
  problems
    .map(({ path, message }) =>
      problemLine({ file: loaded?.file ?? 'configuration', ...loaded?.place(path), path, message }),
    )
    .join('\n');
