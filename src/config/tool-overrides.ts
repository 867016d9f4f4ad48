import { defaultRates } from '../sources/settings.js';
import { settleLimits, type OperatorLimits } from '../core/limits.js';
import { listedName, type Tool } from '../core/tool.js';
import { toolDefaults } from './defaults.js';
import { nearest } from '../lib/text/nearest.js';
import type { Config } from './schema.js';

/** What an operator may change about one tool. */
type Override = Config['tool']['overrides'][string];

/** Keys that clients see; a tool that only another one offers is shown by that one. */
const texts: ReadonlySet<string> = new Set(['name', 'title', 'description']);

/** Keys of an override that hold for every tool; the others need a tool that applies them. */
const general: ReadonlySet<string> = new Set([
  'enabled',
  'timeout',
  'max_timeout',
  'concurrency',
  'rate',
  'breaker',
  'tasks',
  'effects',
]);

/** Settles the limits of every tool by the operator's settings; returns the same object for the same tool. */
export function limitOverrides(config: Config): (tool: Tool) => Tool {
  // Weak, so that tools of a removed source can be collected; guards key their state by the tool object, hence the same one
  // each time.
  const settled = new WeakMap<Tool, Tool>();
  const defaults = defaultsOf(config);
  const stated = statedLimits(config);
  return (tool) => {
    let known = settled.get(tool);
    if (known === undefined) {
      const over = overrideFor(config, tool.name);
      const declares = tool.declares ?? { limits: tool.limits };
      // Copies descriptors, so that lazy getters are not evaluated.
      known = Object.defineProperties(
        {},
        {
          ...Object.getOwnPropertyDescriptors(tool),
          limits: {
            value: settleLimits(declares, { defaults, stated, exceptions: exceptionsOf(over, declares.applies) })
              .limits,
            enumerable: true,
          },
          ...(over?.tasks !== undefined && { tasks: { value: over.tasks, enumerable: true } }),
        },
      ) as Tool; // the fields of the tool, two of them replaced
      settled.set(tool, known);
    }
    return known;
  };
}

// Own keys only: a tool named `constructor` must not read the prototype.
const overrideFor = ({ tool }: Config, name: string): Override | undefined =>
  Object.hasOwn(tool.overrides, name) ? tool.overrides[name] : undefined;

/** Limits for tools that declare none, in the units of the gate. */
const defaultsOf = ({ tool, rate_limit: rate }: Config): OperatorLimits['defaults'] => ({
  timeoutMs: (tool.default_timeout ?? toolDefaults.default_timeout) * 1000,
  concurrency: tool.default_concurrency ?? toolDefaults.default_concurrency,
  queue: tool.queue_length,
  queueTimeoutMs: tool.queue_timeout * 1000,
  ratePerMinute: rate.requests ?? defaultRates.others,
});

/** Defaults that the operator has set. */
const statedLimits = ({ tool }: Config): OperatorLimits['stated'] & object => ({
  ...(tool.default_timeout !== undefined && { timeoutMs: tool.default_timeout * 1000 }),
  ...(tool.default_concurrency !== undefined && { concurrency: tool.default_concurrency }),
});

/** Exceptions in the units of the limits, without those that the source of the tool has applied in another form. */
function exceptionsOf(
  { timeout, max_timeout: most, concurrency, rate }: Override = {},
  applied: readonly string[] = [],
): OperatorLimits['exceptions'] & object {
  return {
    // A timeout that the source applies itself, for example per attempt, must not be applied twice.
    ...(timeout !== undefined && !applied.includes('timeout') && { timeoutMs: timeout * 1000 }),
    ...(most !== undefined && { maxTimeoutMs: most * 1000 }),
    ...(concurrency !== undefined && { concurrency }),
    ...(rate !== undefined && { ratePerMinute: rate }),
  };
}

/** Whether a key of an override takes effect on this tool. */
const isApplied = (tool: Tool, key: string): boolean =>
  general.has(key) || tool.declares?.applies?.includes(key) === true;

/** Tools that are offered, and names that the filter leaves out. */
interface ListedTools {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly filtered: ReadonlySet<string>;
}

/** An override, or a key of one, that no tool uses. */
export interface UnusedOverride {
  readonly path: string;
  readonly message: string;
  /** Whether no tool has the name; otherwise only a key is without effect. */
  readonly isUnknown: boolean;
}

/**
 * Names of tools and overrides without effect. A misspelt name would leave a tool enabled or unlimited that the operator wants to restrict.
 * `mayAppear` are prefixes of names whose source is not listed yet; '' matches any name.
 */
export function unusedOverrides(
  { tool: { overrides, include, exclude } }: Config,
  { tools, filtered }: ListedTools,
  mayAppear: readonly string[],
): readonly UnusedOverride[] {
  // By the name that the source lists, since an override may have changed the shown one.
  const known = new Map([...tools.values()].map((tool) => [listedName(tool), tool]));
  const names = [...known.keys(), ...filtered];
  const isUnknown = (name: string): boolean =>
    !known.has(name) && !filtered.has(name) && !mayAppear.some((prefix) => name.startsWith(prefix));
  const unknown = (path: string, name: string): UnusedOverride[] => {
    const renamed = Object.entries(overrides).find(([, over]) => over.name === name)?.[0];
    const near = nearest(name, names);
    const hint = near === undefined ? '' : `; did you mean ${near}?`;
    const advice = renamed === undefined ? hint : `; it is the new name of ${renamed}, use that name here`;
    return isUnknown(name) ? [{ path, message: `unknown tool ${name}${advice}`, isUnknown: true }] : [];
  };
  // Both lists are checked: a misspelt `exclude` leaves a tool exposed.
  const lists = { include, exclude };
  const unlisted = (['include', 'exclude'] as const).flatMap((key) =>
    lists[key].flatMap((name) => unknown(`tool.${key}`, name)),
  );
  const unused = Object.entries(overrides).flatMap(([name, over]): UnusedOverride[] => {
    const path = `tool.overrides.${name}`;
    const tool = known.get(name);
    if (tool === undefined) return unknown(path, name);
    return Object.keys(over)
      .filter((key) => (texts.has(key) ? tool.unlisted === true : !isApplied(tool, key)))
      .map((key) => ({ path: `${path}.${key}`, message: `has no effect on ${name}`, isUnknown: false }));
  });
  return [...unlisted, ...unused];
}
