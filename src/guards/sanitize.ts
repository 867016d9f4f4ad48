import type { Call } from '../core/call.js';
import { withBack } from '../core/call-copies.js';
import type { Content, ResourceLink } from '../core/content.js';
import { readable, text } from '../core/content.js';
import type { ToolError } from '../core/errors.js';
import type { Guard } from '../core/guard.js';
import type { Json, JsonObject } from '../core/json.js';
import type { Done, Failed, Meta, Outcome, Question } from '../core/outcome.js';
import { failed, refuse } from '../core/outcome.js';
import type { Pen } from '../core/outcome-text.js';
import { rewriteContent, rewriteData, rewriteFields } from '../core/outcome-text.js';
import { markAsks, rewriteAsks, rewriteBack } from '../core/question-text.js';
import { outputFit } from '../core/output-fit.js';
import type { Tool } from '../core/tool.js';
import type { CleanLevel } from '../hostile-text/clean.js';
import { clean } from '../hostile-text/clean.js';
import type { SecretRedactor } from '../hostile-text/secrets.js';
import { truncateText } from '../lib/truncate.js';

/** Says what in a text speaks to the model; undefined where it is data. */
export type Suspicion = (text: string) => JsonObject | undefined;

/** A result kept back until a person has agreed to see it. */
export interface Holder {
  hold(call: Call, tool: Tool, outcome: Done | Failed, why: JsonObject): Promise<Question>;
  /** The result whose release this call brings the answer to; undefined where it brings none. */
  release(call: Call, tool: Tool): Promise<Outcome> | undefined;
}

/** What is done to results; what is absent is not done. */
export interface OutputRules {
  readonly level?: CleanLevel;
  readonly redact?: SecretRedactor;
  /** Redacts without changing what a text looks like, where data must keep a form. */
  readonly redactInShape?: SecretRedactor;
  readonly suspicion?: Suspicion;
  readonly onSuspicion?: 'flag' | 'block' | 'confirm';
  readonly holder?: Holder;
  /** What is said about where a result comes from. */
  readonly provenance?: (tool: Tool) => JsonObject;
  /** Puts a text between marks that it cannot have known; undefined leaves it as it is. */
  readonly envelope?: (text: string, tool: Tool, isSuspect: boolean) => string | undefined;
  /** Keeps what was cut off, and says where it can be read. */
  readonly keep?: (call: Call, rest: string) => readonly ResourceLink[];
}

/**
 * Takes out of a result what a reader cannot see, a terminal would obey or nobody may know, cuts it to the tool's output limit,
 * and marks or holds back what gives orders to the model. Nothing is done silently: the result's meta says what. Keys and types
 * of data never change.
 */
export function sanitize(rules: () => OutputRules = () => ({})): Guard {
  return (tool, next) => {
    const promised = outputFit(tool);
    return async (call) => {
      const now = rules();
      const released = call.confirmation === undefined ? undefined : now.holder?.release(call, tool);
      if (released !== undefined) return released;
      const outcome = await next(overheard(call, now));
      if (outcome.kind === 'confirm') return asked(outcome.question, tool, now);
      const { washed, suspect } = wash(outcome, call, tool, now, promised);
      if (suspect === undefined || (now.onSuspicion ?? 'flag') === 'flag') return washed;
      if (now.onSuspicion === 'confirm' && now.holder)
        return { kind: 'confirm', question: await now.holder.hold(call, tool, washed, suspect) };
      return failed(withheld(suspect), washed.meta && { meta: washed.meta });
    };
  };
}

const mostSaid = 65_536;

/** The call with a way back on which nothing is said that a result may not say. */
function overheard(call: Call, { level, redact }: OutputRules): Call {
  const { back } = call;
  if (!back?.progress && !back?.log) return call;
  const rules: OutputRules = { ...(level && { level }), ...(redact && { redact }) };
  return withBack(
    call,
    rewriteBack(back, () => pen(newReport(), rules, mostSaid)),
  );
}

/** A question of the tool itself: it is shown to a person or a model, and is as hostile as any result. */
function asked(question: Question, tool: Tool, rules: OutputRules): Outcome {
  const report = newReport();
  const writer = pen(report, rules, mostSaid);
  const read = rewriteAsks(question.asks, writer);
  if (!writer.weigh(0)) return refuse('upstream_error', `${tool.source} asks more than anybody could read`);
  const suspect = rules.suspicion && report.seen.size > 0 ? rules.suspicion(joined(report.seen)) : undefined;
  if (suspect !== undefined && (rules.onSuspicion ?? 'flag') !== 'flag') return failed(withheld(suspect));
  const provenance = rules.provenance?.(tool);
  const isSame =
    Object.keys(report.removed).length === 0 && Object.keys(report.secrets).length === 0 && !report.truncated;
  const meta = noted(undefined, report, isSame, { suspect, provenance, isEnveloped: false, kept: 0 });
  const asker = provenance?.['trust'] === 'untrusted' ? tool.source : undefined;
  return { kind: 'confirm', question: { ...question, asks: markAsks(read, asker, meta) } };
}

/** What callers are told in place of a result that gives orders to the model. */
export const withheld = (why: JsonObject): ToolError => ({
  code: 'output_withheld',
  message: 'The result was held back: it gives instructions to the model',
  hint: 'The tool ran. Do not repeat the call; a person may look at the result in another way',
  data: { why },
});

/** What was done to one outcome. */
interface Report {
  readonly removed: Record<string, number>;
  readonly secrets: Record<string, number>;
  /** Texts as they came, to be looked at for orders; each once. */
  readonly seen: Set<string>;
  readonly rest: string[];
  truncated: boolean;
  /** What had to be done so that data keeps the promise of its schema. */
  fitted?: 'masked' | 'dropped';
}

const newReport = (): Report => ({ removed: {}, secrets: {}, seen: new Set(), rest: [], truncated: false });

function wash(
  outcome: Done | Failed,
  call: Call,
  tool: Tool,
  rules: OutputRules,
  promised: (data: Json) => boolean,
): { readonly washed: Done | Failed; readonly suspect?: JsonObject } {
  const report = newReport();
  const { maxOutputBytes } = tool.limits;
  let content = outcome.content && rewriteContent(outcome.content, pen(report, rules, maxOutputBytes, report.rest));
  const dataPen = pen(report, rules, maxOutputBytes);
  // What failed owes nobody its schema.
  const isOwed = outcome.kind === 'done' ? promised : () => true;
  const data =
    outcome.data === undefined
      ? undefined
      : fitting(outcome.data, rewriteData(outcome.data, dataPen), tool, rules, isOwed, report);
  if (!dataPen.weigh(0)) overweight(report);
  const error = outcome.kind === 'failed' ? rewriteError(outcome.error, pen(report, rules, 16_384)) : undefined;
  const extra = outcome.extra && beside(outcome.extra, report, rules, maxOutputBytes);
  const said = outcome.meta && beside(outcome.meta, report, rules, maxOutputBytes);
  const links = report.rest.length > 0 ? rules.keep?.(call, report.rest.join('')) : undefined;
  const suspect = rules.suspicion && report.seen.size > 0 ? rules.suspicion(joined(report.seen)) : undefined;
  const enveloped = rules.envelope && wrapped(content ?? [], data, tool, suspect !== undefined, rules.envelope);
  if (enveloped) content = enveloped;
  if (links && links.length > 0) content = [...(content ?? []), ...links];

  const isSame =
    report.fitted === undefined &&
    content === outcome.content &&
    data === outcome.data &&
    extra === outcome.extra &&
    said === outcome.meta &&
    (outcome.kind === 'done' || error === outcome.error);
  const meta = noted(said, report, isSame, {
    suspect,
    provenance: rules.provenance?.(tool),
    isEnveloped: enveloped !== undefined,
    kept: links?.length ?? 0,
  });
  if (isSame && meta === outcome.meta) return { washed: outcome, ...(suspect && { suspect }) };
  const rest = { ...(data !== undefined && { data }), ...(meta && { meta }), ...(extra && { extra }) };
  if (report.fitted === 'dropped')
    return {
      washed: unfit(
        content?.some(({ type }) => type === 'text') === true
          ? content
          : [...(content ?? []), text(truncateText(readable([], data), maxOutputBytes).value)],
        report,
        meta,
      ),
      ...(suspect && { suspect }),
    };
  const washed: Done | Failed =
    outcome.kind === 'done'
      ? { ...outcome, content: content ?? [], ...rest }
      : { ...outcome, error: error ?? outcome.error, ...(content && { content }), ...rest };
  return { washed, ...(suspect && { suspect }) };
}

/** Data of more keys and numbers than may stay cannot be cut without changing what it says. */
function overweight(report: Report): void {
  report.truncated = true;
  report.fitted = 'dropped';
}

/** What a result carries beside its content and data, rewritten; too much of it is left out. */
function beside(given: JsonObject, report: Report, rules: OutputRules, maxBytes: number): JsonObject | undefined {
  const writer = pen(report, rules, maxBytes);
  const written = rewriteData(given, writer) as JsonObject; // types never change
  if (writer.weigh(0)) return written;
  report.truncated = true;
  return undefined;
}

/**
 * Data that fitted the tool's schema and was changed must fit it still, since clients refuse what does not: secrets are then
 * masked in their own shape, and where even that does not fit, there is no data.
 */
function fitting(
  given: Json,
  written: Json,
  tool: Tool,
  rules: OutputRules,
  promised: (data: Json) => boolean,
  report: Report,
): Json {
  if (written === given || promised(written) || !promised(given)) return written;
  const { redactInShape: redact } = rules;
  const again = newReport();
  const masked =
    redact === undefined ? written : rewriteData(given, pen(again, { ...rules, redact }, tool.limits.maxOutputBytes));
  report.fitted = promised(masked) ? 'masked' : 'dropped';
  return report.fitted === 'masked' ? masked : written;
}

/** What is told where data could not be kept: the result as text, and that it failed, since a client takes no other answer without data. */
const unfit = (content: readonly Content[], { truncated }: Report, meta: Meta | undefined): Failed =>
  failed(
    {
      code: truncated ? 'output_limit' : 'output_withheld',
      message: truncated
        ? 'The result was cut to its limit and no longer fits the output schema of the tool'
        : 'The result no longer fits the output schema of the tool once what may not leave was taken out',
      hint: 'The tool ran; what is left of its result is given as text',
    },
    { content, ...(meta && { meta }) },
  );

/** An error with its words and the facts beside them rewritten: a server writes those too. */
function rewriteError(given: ToolError, writer: Pen): ToolError {
  const error = rewriteFields(given, writer, ['message', 'hint']);
  if (given.data === undefined) return error;
  const data = rewriteData(given.data, writer) as JsonObject; // types never change
  return data === given.data ? error : { ...error, data };
}

function pen(
  report: Report,
  { level = 'full', redact, suspicion }: OutputRules,
  maxBytes: number,
  rest?: string[],
): Pen {
  let left = maxBytes;
  let weight = 0;
  return {
    cut() {
      report.truncated = true;
    },
    fits(length) {
      if (length > left) return false;
      left -= length;
      return true;
    },
    weigh(length) {
      weight += length;
      return weight <= maxBytes;
    },
    text(value) {
      const cleaned = clean(value, level);
      if (cleaned.text !== value) add(report.removed, Object.entries(cleaned.removed));
      const redacted = redact?.(cleaned.text);
      if (redacted && redacted.findings.length > 0)
        add(
          report.secrets,
          redacted.findings.map(({ kind, count }) => [kind, count]),
        );
      let result = redacted?.text ?? cleaned.text;
      // A string of n characters has at most 3n bytes: most need no counting.
      if (result.length * 3 > left) {
        const cut = truncateText(result, Math.max(0, left));
        if (cut.truncated) {
          report.truncated = true;
          rest?.push(result.slice(cut.value.length));
          result = cut.value;
        }
      }
      left -= result.length;
      // Orders are looked for in what came and not in what is left of it: hiding them is half of the crime. What was cut off is looked at when it is read.
      if (suspicion && value.length >= shortestOrder)
        report.seen.add(value.length > result.length + slack ? value.slice(0, result.length + slack) : value);
      return result;
    },
  };
}

/** All texts as one; most results have one, which need not be copied. */
function joined(texts: ReadonlySet<string>): string {
  const [first = ''] = texts;
  return texts.size === 1 ? first : [...texts].join('\n');
}

/** Nothing shorter tells anybody to do anything. */
const shortestOrder = 12;
const slack = 4_096;

function add(to: Record<string, number>, counts: readonly (readonly [string, number])[]): void {
  for (const [kind, count] of counts) to[kind] = (to[kind] ?? 0) + count;
}

function wrapped(
  content: readonly Content[],
  data: Json | undefined,
  tool: Tool,
  isSuspect: boolean,
  envelope: NonNullable<OutputRules['envelope']>,
): readonly Content[] | undefined {
  // Doors show data as text where there is no other text: then that text is what must be marked.
  if (data !== undefined && !content.some((part) => part.type === 'text')) {
    const shown =
      envelope('', tool, isSuspect) === undefined ? undefined : envelope(readable([], data), tool, isSuspect);
    return shown === undefined ? undefined : [...content, text(shown)];
  }
  let changed = false;
  const parts = content.map((part) => {
    const written = part.type === 'text' ? envelope(part.text, tool, isSuspect) : undefined;
    if (written === undefined || part.type !== 'text') return part;
    changed = true;
    return { ...part, text: written };
  });
  return changed ? parts : undefined;
}

interface Notes {
  readonly suspect: JsonObject | undefined;
  readonly provenance: JsonObject | undefined;
  readonly isEnveloped: boolean;
  readonly kept: number;
}

function noted(
  meta: Meta | undefined,
  { removed, secrets, truncated, fitted }: Report,
  isSame: boolean,
  { suspect, provenance, isEnveloped, kept }: Notes,
): Meta | undefined {
  if (isSame && suspect === undefined && provenance === undefined) return meta;
  const redacted = Object.keys(secrets).length > 0;
  const touched = redacted || truncated || isEnveloped || Object.keys(removed).length > 0;
  return {
    ...meta,
    ...(touched && {
      'toolgate/sanitized': {
        removed,
        truncated,
        ...(redacted && { redacted: secrets }),
        ...(isEnveloped && { enveloped: true }),
        ...(fitted && { data: fitted }),
        ...(kept > 0 && { kept }),
      },
    }),
    ...(suspect && { 'toolgate/injection': suspect }),
    ...(provenance && { 'toolgate/provenance': provenance }),
  };
}
