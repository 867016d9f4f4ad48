import type { Call } from '../core/call.js';
import type { Tool } from '../core/tool.js';
import type { Demand } from '../guards/confirm.js';
import { clean } from '../hostile-text/clean.js';
import type { Redactor } from '../lib/redact.js';

/** A call in words for whoever must agree to it. */
export interface Wording {
  readonly args: string;
  readonly risk: string;
  readonly message: string;
}

const shownArgs = 2_000;
const keptArgs = 16_384;

/** What a tool may do, in words. */
function riskOf({ effects }: Tool, labels: readonly string[]): string {
  const parts = [
    effects.destroys ? 'may destroy something' : effects.writes ? 'changes something' : 'only reads',
    effects.openWorld ? 'reaches outside' : 'stays inside',
    ...(labels.length > 0 ? [`labels ${labels.join(', ')}`] : []),
  ];
  return parts.join('; ');
}

/**
 * Says what would be done, with what, by which rule, and at what risk. Arguments are the words of a model that may have been
 * talked into them, so they stand as one line of JSON: they cannot pretend to be another line of the question.
 */
export function wording(
  call: Call,
  tool: Tool,
  demand: Demand,
  labels: readonly string[],
  redactor: Redactor,
): Wording {
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
