import { resolveToolAlias } from '../core/tool-aliases.js';
import type { Config } from './schema.js';

/** Lists of tool names in `policy`, `access` and `flows`. */
const nameLists: ReadonlySet<string> = new Set(['tools', 'tool', 'include', 'exclude']);

/** Replaces aliases of tools by their names, wherever the configuration names tools. */
export function resolveAliases(config: Config): Config {
  const visit = (value: unknown, key: string): unknown => {
    if (typeof value === 'string') return nameLists.has(key) ? resolveToolAlias(value) : value;
    // Items of a list belong to the key of the list.
    if (Array.isArray(value)) return value.map((item) => visit(item, key));
    // Only plain objects: secrets are class instances and stay as they are.
    if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, visit(item, name)]));
  };
  const { tool, policy, access, flows } = config;
  return {
    ...config,
    tool: {
      ...tool,
      include: tool.include.map(resolveToolAlias),
      exclude: tool.exclude.map(resolveToolAlias),
      // Keys are names, too.
      overrides: Object.fromEntries(
        Object.entries(tool.overrides).map(([name, over]) => [resolveToolAlias(name), over]),
      ),
    },
    // Only strings of the same shape are replaced.
    policy: visit(policy, '') as Config['policy'],
    access: visit(access, '') as Config['access'],
    flows: {
      ...(visit(flows, '') as Config['flows']),
      labels: Object.fromEntries(
        Object.entries(flows.labels).map(([name, labels]) => [resolveToolAlias(name), labels]),
      ) as Config['flows']['labels'],
    },
  };
}
