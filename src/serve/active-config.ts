import type { LoadedConfig } from '../config/load.js';
import type { Config } from '../config/schema.js';
import type { Tool } from '../core/tool.js';
import type { OutputRules } from '../guards/sanitize.js';
import type { TruncatedResults } from '../sources/truncated-results.js';
import type { Store } from '../state/store.js';
import type { KeyFile } from '../access/keys.js';
import type { Credentials, CallerMemory, Rules } from './access.js';
import { credentialsOf } from './access.js';
import { compileOrThrow } from './compiled-rules.js';
import { outputRulesOf } from './output.js';
import { overridesOf } from './overrides.js';
import { secretValues } from '../config/secret-values.js';

export interface ActiveConfigOptions {
  readonly loaded: LoadedConfig;
  readonly remembered: CallerMemory;
  readonly results: TruncatedResults;
  readonly open: () => Promise<Store>;
  readonly keys: KeyFile;
  readonly env: NodeJS.ProcessEnv;
}

/** Accessors for the active configuration; always return the current one after a reload. */
export interface ActiveConfig {
  config(): Config;
  rules(): Rules;
  callers(): Credentials;
  output(): OutputRules;
  override(tool: Tool): Tool;
  /** Cache key of a view; includes a generation, because the same view may see other tools after a reload. */
  group(view: Parameters<Rules['visibility']['group']>[0]): string;
  /** Compiles the rules of a new configuration before it becomes active; throws their problems. */
  compiled(next: Config): Rules;
  /** First half of a reload: tools come from the new configuration, while the old rules still apply. */
  useSources(next: Config): void;
  /** Second half: the new rules and credentials apply. */
  useRules(rules: Rules): void;
}

/** Holds the values that a reload replaces, and nothing else. */
export function activeConfig({ loaded, remembered, results, open, keys, env }: ActiveConfigOptions): ActiveConfig {
  let { config } = loaded;
  const outputRules = (): OutputRules =>
    outputRulesOf({ config, secrets: [...secretValues(config, env)], results, open });
  let rules = compileOrThrow(config, remembered, loaded);
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
    compiled: (next) => compileOrThrow(next, remembered),
    useSources(next) {
      config = next;
      overrides = overridesOf(next);
    },
    useRules(next) {
      rules = next;
      generation += 1;
      output = outputRules();
      callers = credentialsOf(config, keys, env);
    },
  };
}
