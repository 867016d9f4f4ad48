import type { Call } from '../core/call.js';
import type { Tool } from '../core/tool.js';
import type { ApprovalRequirement } from '../guards/confirm.js';
import { clean } from '../hostile-text/clean.js';
import type { Redactor } from '../hostile-text/redact.js';

/** Description of a call for the person who approves it. */
export interface ApprovalText {
  readonly args: string;
  readonly risk: string;
  readonly message: string;
}

const shownArgs = 2_000;
const keptArgs = 16_384;

/** Describes the effects of a tool. */
function riskOf({ effects }: Tool, labels: readonly string[]): string {
  const parts = [
    effects.destroys ? 'may delete data' : effects.writes ? 'modifies data' : 'read-only',
    effects.openWorld ? 'reaches external systems' : 'local only',
    ...(labels.length > 0 ? [`labels ${labels.join(', ')}`] : []),
  ];
  return parts.join('; ');
}

/**
 * Describes the call, its arguments, the rules that require approval, and the risk. Arguments come from a model that may follow
 * injected instructions, so they are one line of JSON: they cannot imitate another line of the form.
 */
export function approvalText(
  call: Call,
  tool: Tool,
  demand: ApprovalRequirement,
  labels: readonly string[],
  redactor: Redactor,
): ApprovalText {
  const all = clean(JSON.stringify(redactor.value(call.args))).text;
  const args = cut(all, keptArgs);
  const risk = riskOf(tool, labels);
  const message = [
    `Allow ${call.principal.id} to run ${call.tool}${tool.source === '' ? '' : ` (source ${tool.source})`}?`,
    `Arguments: ${cut(all, shownArgs)}`,
    `Rule: ${demand.rules.join(', ')} (${clean(demand.reason).text})`,
    `Risk: ${risk}`,
  ].join('\n');
  return { args, risk, message };
}

const cut = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length)} … (${text.length - length} more characters)`;
