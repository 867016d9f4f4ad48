import { settleLimits, type OperatorLimits } from '../core/limits.js';
import type { Tool } from '../core/tool.js';
import { anyGlob } from '../lib/glob.js';
import type { Config } from './schema.js';

type Override = Config['tool']['overrides'][string];

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
  const settled = new WeakMap<Tool, Tool>();
  const defaults = defaultsOf(config);
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
            value: settleLimits(declares, { defaults, exceptions: exceptionsOf(over, declares.applies) }).limits,
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

const overrideFor = ({ tool }: Config, name: string): Override | undefined =>
  Object.hasOwn(tool.overrides, name) ? tool.overrides[name] : undefined;

const defaultsOf = ({ tool, rate_limit: rate }: Config): OperatorLimits['defaults'] => ({
  timeoutMs: tool.default_timeout * 1000,
  concurrency: tool.default_concurrency,
  queue: tool.queue_length,
  queueTimeoutMs: tool.queue_timeout * 1000,
  ratePerMinute: rate.requests,
});

/** Exceptions in the units of the limits, without those that the source of the tool has applied in another form. */
function exceptionsOf(
  { timeout, max_timeout: most, concurrency, rate }: Override = {},
  applied: readonly string[] = [],
): OperatorLimits['exceptions'] & object {
  return {
    ...(timeout !== undefined && !applied.includes('timeout') && { timeoutMs: timeout * 1000 }),
    ...(most !== undefined && { maxTimeoutMs: most * 1000 }),
    ...(concurrency !== undefined && { concurrency }),
    ...(rate !== undefined && { ratePerMinute: rate }),
  };
}

/** An override, or a key of one, that no tool uses. */
export interface UnusedOverride {
  readonly path: string;
  readonly message: string;
  /** Whether no tool has the name; otherwise only a key is without effect. */
  readonly isUnknown: boolean;
}

/**
 * Overrides without effect. A misspelt name would leave a tool enabled or unlimited that the operator wants to restrict.
 * `mayAppear` are prefixes of names whose source is not listed yet; '' matches any name.
 */
export function unusedOverrides(
  { tool: { overrides, include, exclude } }: Config,
  tools: ReadonlyMap<string, Tool>,
  mayAppear: readonly string[],
): readonly UnusedOverride[] {
  const isIncluded = anyGlob(include);
  // An empty list of patterns matches everything.
  const isExcluded = exclude.length === 0 ? () => false : anyGlob(exclude);
  return Object.entries(overrides).flatMap(([name, over]): UnusedOverride[] => {
    const path = `tool.overrides.${name}`;
    const tool = tools.get(name);
    if (tool === undefined)
      return !isIncluded(name) || isExcluded(name) || mayAppear.some((prefix) => name.startsWith(prefix))
        ? []
        : [{ path, message: `unknown tool ${name}`, isUnknown: true }];
    return Object.keys(over)
      .filter((key) => !general.has(key) && tool.declares?.applies?.includes(key) !== true)
      .map((key) => ({ path: `${path}.${key}`, message: `has no effect on ${name}`, isUnknown: false }));
  });
}
