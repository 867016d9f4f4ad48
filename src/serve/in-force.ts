import type { Good } from '../config/load.js';
import type { Config } from '../config/schema.js';
import type { Tool } from '../core/tool.js';
import type { OutputRules } from '../guards/sanitize.js';
import type { KeptResults } from '../sources/kept-results.js';
import type { Store } from '../state/store.js';
import type { KeyFile } from '../access/keys.js';
import type { Credentials, Remembered, Rules } from './access.js';
import { credentialsOf } from './access.js';
import { compiled } from './compiled-rules.js';
import { outputRulesOf } from './output.js';
import { overridesOf } from './overrides.js';
import { secretValues } from './secret-values.js';

export interface InForceOptions {
  readonly loaded: Good;
  readonly remembered: Remembered;
  readonly results: KeptResults;
  readonly open: () => Promise<Store>;
  readonly keys: KeyFile;
  readonly env: NodeJS.ProcessEnv;
}

/** What the configuration in force comes to; whoever asks again after a reload hears of the new one. */
export interface InForce {
  config(): Config;
  rules(): Rules;
  callers(): Credentials;
  output(): OutputRules;
  override(tool: Tool): Tool;
  /** The group of a view, apart from those under earlier rules: they may have the same name and see other tools. */
  group(view: Parameters<Rules['visibility']['group']>[0]): string;
  /** The rules of a configuration that is not in force yet; throws what is wrong with them. */
  compiled(next: Config): Rules;
  /** First half of a reload: tools come from the new configuration, and are judged by the old rules. */
  serveFrom(next: Config): void;
  /** Second half: the new rules and callers hold. */
  judgeBy(rules: Rules): void;
}

/** Holds what a reload replaces, and nothing else. */
export function inForce({ loaded, remembered, results, open, keys, env }: InForceOptions): InForce {
  let { config } = loaded;
  const outputRules = (): OutputRules =>
    outputRulesOf({ config, secrets: [...secretValues(config, env)], results, open });
  let rules = compiled(config, remembered, loaded);
  let callers = credentialsOf(config, keys, env);
  let overrides = overridesOf(config);
  let output = outputRules();
  let generation = 0;
  return {
    config: () => config,
    rules: () => rules,
    callers: () => callers,
    output: () => output,
    override: (tool) => overrides(tool),
    group: (view) => `${generation}|${rules.visibility.group(view)}`,
    compiled: (next) => compiled(next, remembered),
    serveFrom(next) {
      config = next;
      overrides = overridesOf(next);
    },
    judgeBy(next) {
      rules = next;
      generation += 1;
      output = outputRules();
      callers = credentialsOf(config, keys, env);
    },
  };
}
