import type { Args, Call } from '../../core/call.js';
import type { Tool } from '../../core/tool.js';
import type { ApprovalRequirement } from '../../guards/confirm.js';
import { clean } from '../../hostile-text/clean.js';
import type { Redactor } from '../../hostile-text/redact.js';
import { escapeInvisible } from '../../lib/text/escape-invisible.js';

/** Description of a call for the person who approves it. */
export type ApprovalText =
  | {
      readonly ok: true;
      /** Arguments with long strings shortened in their middle; all keys and values are in it. */
      readonly args: string;
      /** All of the arguments, if they were shortened. */
      readonly wholeArgs?: string;
      readonly risk: string;
      /** Text of a form; absent if the arguments do not fit, since a form cannot show the rest. */
      readonly message?: string;
    }
  /** The arguments cannot be shown, so approval must not be requested. */
  | { readonly ok: false; readonly problem: string };

const maxWholeCharacters = 262_144;
const maxFormCharacters = 8_000;
const maxDepth = 64;
const maxShownString = 400;

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
 * Describes the call, its arguments, the rules that require approval, and the risk. The model that chose the arguments may follow
 * injected instructions, so it must not be able to hide a part: secrets are found by value and format and not by key, nothing is
 * cut off at the end, invisible characters are written as escapes, and the text is one line of JSON that cannot imitate another
 * line of the form.
 */
export function approvalText(
  call: Call,
  tool: Tool,
  demand: ApprovalRequirement,
  labels: readonly string[],
  redactor: Redactor,
): ApprovalText {
  if (nestsTooDeep(call.args, 0))
    return { ok: false, problem: `its arguments are nested deeper than ${maxDepth} levels and cannot be shown` };
  const whole = toLine(call.args, (text) => redactor.text(text));
  if (whole.length > maxWholeCharacters)
    return {
      ok: false,
      problem: `its arguments have ${whole.length} characters, and at most ${maxWholeCharacters} can be shown`,
    };
  const args = toLine(call.args, (text) => shorten(redactor.text(text)));
  const risk = riskOf(tool, labels);
  const message = [
    `Allow ${call.principal.id} to run ${call.tool}${tool.source === '' ? '' : ` (source ${tool.source})`}?`,
    `Arguments: ${whole}`,
    `Rule: ${demand.rules.join(', ')} (${clean(demand.reason).text})`,
    `Risk: ${risk}`,
  ].join('\n');
  return {
    ok: true,
    args,
    risk,
    ...(args !== whole && { wholeArgs: whole }),
    ...(whole.length <= maxFormCharacters && { message }),
  };
}

const toLine = (args: Args, show: (text: string) => string): string =>
  escapeInvisible(JSON.stringify(mapStrings(args, show)));

/** The value with every string and every key replaced; the depth is checked before. */
function mapStrings(value: unknown, show: (text: string) => string): unknown {
  if (typeof value === 'string') return show(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, show));
  const copy: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    let name = show(key);
    // Two long keys may be shortened to the same text: neither may hide the other.
    while (Object.hasOwn(copy, name)) name += ' (again)';
    // Assignment would let a key named __proto__ change the prototype of the copy, and hide its value.
    Object.defineProperty(copy, name, {
      value: mapStrings(item, show),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return copy;
}

/** Keeps both ends: padding cannot push the end of a text out of sight. */
const shorten = (text: string): string =>
  text.length <= maxShownString
    ? text
    : `${text.slice(0, maxShownString / 2)} … [${text.length - maxShownString} of ${text.length} characters not shown] … ${text.slice(-maxShownString / 2)}`;

const nestsTooDeep = (value: unknown, depth: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (depth >= maxDepth || Object.values(value).some((item) => nestsTooDeep(item, depth + 1)));
