import { nearest } from '../../lib/text/nearest.js';
import type { View } from '../../core/gateway.js';
import type { RegistryState } from '../../registry/registry.js';
import type { Rules } from './rules.js';

/** Why a view does not list a tool, for administrators: callers must not learn which hidden tools exist. */
export function hiddenReason(name: string, view: View, registry: RegistryState, rules: Rules): string {
  const { tools, filtered } = registry.catalogue();
  const tool = tools.get(name);
  if (tool !== undefined) return `${view.principal.id} does not see ${name}: ${rules.whyHidden(view, tool)}`;
  if (filtered.has(name)) return `${name} is left out by tool.include or tool.exclude of the configuration`;
  const withheld = registry
    .withheld()
    // Withheld definitions are listed under the name that the upstream uses.
    .find(({ what }) => what === name || what === `tool ${name.replace(/^.*?__/, '')}`);
  if (withheld !== undefined) return `${name} is withheld: ${withheld.why}`;
  const near = nearest(name, [...tools.keys()]);
  return `Unknown tool ${name}${near === undefined ? '' : `; did you mean ${near}?`}`;
}
