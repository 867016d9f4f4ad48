import type { Call } from '../../core/call.js';
import type { JsonObject } from '../../core/json.js';
import type { Tool } from '../../core/tool.js';
import { escapeInvisible } from '../../lib/text/escape-invisible.js';
import type { Ticket, TicketContext } from './tickets.js';

/** Ticket with all of its arguments, however long. */
export const toWholeTicketInfo = (ticket: Ticket): JsonObject => {
  const whole = ticket.wholeArgs ?? ticket.args;
  return { ...toTicketInfo(ticket), arguments_whole: whole, argument_rows: argumentRows(ticket, whole) };
};

/** Ticket as REST, events and the CLI show it. */
export const toTicketInfo = (ticket: Ticket): JsonObject => {
  const { context } = ticket;
  return {
    id: ticket.id,
    status: ticket.status,
    principal: ticket.principal,
    tool: ticket.tool,
    source: ticket.source,
    arguments: ticket.args,
    arguments_shortened: ticket.wholeArgs !== undefined,
    arguments_digest: ticket.argsDigest,
    argument_rows: argumentRows(ticket, ticket.args),
    definition: ticket.definition,
    rules: [...ticket.rules],
    reason: ticket.reason,
    risk: ticket.risk,
    asked_at: ticket.askedAt,
    expires_at: new Date(ticket.expiresAt).toISOString(),
    decided_by: ticket.decidedBy ?? null,
    decided_at: ticket.decidedAt ?? null,
    deny_reason: ticket.denyReason ?? null,
    ...(context && {
      door: context.door,
      session: context.session === undefined ? null : escapeInvisible(context.session),
      correlation_id: escapeInvisible(context.correlationId),
      labels: [...context.labels],
      effects: [...context.effects],
      // null: more labels than are recorded, so any label may have been touched.
      seen_labels: context.seenLabels === undefined ? null : [...context.seenLabels],
      last_approved: context.lastApproved === undefined ? null : { ...context.lastApproved },
      definition_changed:
        context.lastApproved === undefined ? null : context.lastApproved.definition !== ticket.definition,
    }),
  };
};

/**
 * The arguments one by one. `origin` is null if it was not recorded; `changed` is null without an approved call to compare with.
 * Values are JSON text with invisible characters as escapes, so that a page can show them as they are.
 */
function argumentRows({ context, args, wholeArgs = args }: Ticket, text: string): readonly JsonObject[] {
  const before = context?.lastApproved && new Map(entriesOf(context.lastApproved.args));
  const whole = entriesOf(wholeArgs);
  return entriesOf(text).map(([name, value], index) => {
    // Shortened names and values are those of the whole in the same order; only the whole can be compared.
    const [wholeName, wholeValue] = whole[index] ?? [name, value];
    const previous = before?.get(wholeName);
    return {
      name: toDisplayName(name),
      value,
      origin: context === undefined ? null : originOf(context, wholeName),
      changed: before === undefined ? null : previous !== wholeValue,
      ...(previous !== undefined && previous !== wholeValue && { previous }),
    };
  });
}

function originOf({ given, derived = [] }: TicketContext, name: string): 'given' | 'default' | 'derived' {
  if (given.includes(name)) return 'given';
  return derived.includes(name) ? 'derived' : 'default';
}

/** A name as in JSON text: with backslashes escaped too, a visible `\\u200b` and an invisible character never look the same. */
const toDisplayName = (name: string): string => escapeInvisible(JSON.stringify(name).slice(1, -1));

function entriesOf(text: string): readonly (readonly [string, string])[] {
  const value: unknown = JSON.parse(text);
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return entries.map(([name, each]) => [name, escapeInvisible(JSON.stringify(each))]);
}

/** Names of the arguments that the caller gave itself, as in the text of all arguments. */
export const givenNames = ({ args, given = args }: Call, wholeArgs: string): readonly string[] =>
  namesInText(args, wholeArgs, (key) => Object.hasOwn(given, key));

/** Names of the arguments that validation added and the tool does not declare, such as a parsed address; they are no defaults. */
export function derivedNames({ args, given = args }: Call, tool: Tool, wholeArgs: string): readonly string[] {
  const { properties } = tool.input.schema;
  if (typeof properties !== 'object' || properties === null) return [];
  return namesInText(args, wholeArgs, (key) => !Object.hasOwn(given, key) && !Object.hasOwn(properties, key));
}

function namesInText(args: Call['args'], wholeArgs: string, accepts: (key: string) => boolean): readonly string[] {
  const names = entriesOf(wholeArgs).map(([name]) => name);
  return Object.keys(args).flatMap((key, index) => (accepts(key) ? (names[index] ?? []) : []));
}
