import type { Call } from '../../core/call.js';
import type { View } from '../../core/gateway.js';
import type { JsonObject } from '../../core/json.js';
import type { Principal } from '../../core/principal.js';
import type { Tool } from '../../core/tool.js';
import { neverAborted } from '../../lib/light-signal.js';
import type { Rules } from './rules.js';

/** Decision of policy about a tool for one principal. Rules on arguments cannot be decided without a call, which is reported. */
export function accessOf(rules: Rules, tool: Tool, principal: Principal): JsonObject {
  const view: View = { principal };
  const base = { principal: principal.id, roles: [...principal.roles] };
  if (!rules.profiles.usable(view) || !rules.visibility.isVisible(view, tool)) return { ...base, decision: 'hidden' };
  // Without arguments: conditional rules are listed separately.
  const verdict = rules.control.verdict(callOf(tool, principal), tool);
  return {
    ...base,
    decision: verdict.kind,
    rule:
      verdict.kind === 'confirm'
        ? verdict.demand.rules.join(', ')
        : (verdict.rule ?? (rules.policy.isOn ? 'default' : 'policy is off')),
    depends_on: rules.policy.rules
      .filter((rule) => rule.isConditional && rule.forPrincipal(principal) && rule.forTool(tool))
      .map(({ rule }) => rule.id),
  };
}

/** A call of the tool without arguments, which is decided and never run. */
const callOf = ({ name }: Tool, principal: Principal): Call => ({
  id: 'access',
  tool: name,
  principal,
  via: 'console',
  args: {},
  receivedAt: 0,
  signal: neverAborted(),
  correlationId: 'access',
});
