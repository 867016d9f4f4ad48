import type { Call } from '../core/call.js';
import { deriveCall } from '../core/derive-call.js';
import type { Content, ResourceLink } from '../core/content.js';
import { toReadableText, textContent } from '../core/content.js';
import type { ToolError } from '../core/errors.js';
import type { Guard } from '../core/guard.js';
import type { Json, JsonObject } from '../core/json.js';
import type { Done, Failed, Meta, Outcome, Question } from '../core/outcome.js';
import { failed, refuse } from '../core/outcome.js';
import type { TextVisitor } from '../hostile-text/results/rewrite-content.js';
import { rewriteContent, rewriteData, rewriteFields } from '../hostile-text/results/rewrite-content.js';
import { rewriteBackChannel } from '../hostile-text/results/back-channel.js';
import type { SanitizeReport, TextRules } from '../hostile-text/results/sanitize-report.js';
import type { CleanText } from '../hostile-text/results/clean-text.js';
import { largeTextLength, type LargeTexts } from '../hostile-text/results/large-texts.js';
import { largeTextsIn } from '../hostile-text/results/find-large-texts.js';
import { joinTexts, newReport, sanitizingVisitor, toMeta } from '../hostile-text/results/sanitize-report.js';
import { markAsks, rewriteAsks } from '../hostile-text/results/rewrite-question.js';
import { outputValidator } from '../core/output-validator.js';
import type { Tool } from '../core/tool.js';
import type { SecretRedactor } from '../hostile-text/secrets.js';
import { truncateText } from '../lib/text/truncate.js';
import { guardSpec } from './guard-spec.js';
import { instructionsLabel } from '../core/outcome.js';

/** Results withheld until a person has approved their release. */
export interface WithheldResults {
  add(call: Call, tool: Tool, outcome: Done | Failed, why: JsonObject): Promise<Question>;
  /** The result whose release this call approves or denies; undefined if it answers no such question. */
  release(call: Call, tool: Tool): Promise<Outcome> | undefined;
}

/** Steps applied to results; absent ones are skipped. */
export interface OutputRules extends TextRules {
  /** Redacts while keeping length and character classes, for data that must match a schema. */
  readonly redactInShape?: SecretRedactor;
  readonly onInjection?: 'flag' | 'block' | 'confirm';
  readonly withheldResults?: WithheldResults;
  /** Facts about the origin of a result. */
  readonly provenance?: (tool: Tool) => JsonObject;
  /** Wraps a text in unpredictable markers; undefined leaves it unchanged. */
  readonly envelope?: (text: string, tool: Tool, isFlagged: boolean) => string | undefined;
  /** Examines large texts outside of the event loop; without it they are examined on it. */
  readonly largeTexts?: LargeTexts;
  /** Stores the truncated rest, and returns links to it. */
  readonly storeRest?: (call: Call, tool: Tool, rest: string) => readonly ResourceLink[];
}

/**
 * Removes invisible characters, terminal escapes and secrets from a result, truncates it to the tool's output limit, and flags or
 * withholds prompt injection. Every change is reported in the result's meta. Keys and types of data never change.
 */
export function sanitize(
  rules: () => OutputRules = () => ({}),
  /** Called when a message of a running call contains instructions: its result comes too late to report them. */
  onMessageInjection?: (call: Call, tool: Tool) => void,
): Guard {
  return (tool, next) => {
    const matchesSchema = outputValidator(tool);
    return async (call) => {
      const current = rules();
      const released = call.confirmation === undefined ? undefined : current.withheldResults?.release(call, tool);
      if (released !== undefined) return released;
      const outcome = await next(withSanitizedBackChannel(call, tool, current, onMessageInjection));
      if (outcome.kind === 'confirm') return sanitizeQuestion(outcome.question, tool, current);
      // Most results are small and need no further turn of the event loop.
      const cleaned = withCleanedTexts(outcome, current);
      const rewriting = cleaned instanceof Promise ? await cleaned : cleaned;
      const draft = rewriteOutcome(outcome, call, tool, rewriting, matchesSchema);
      const found = injectionIn(draft.report, current);
      const evidence = found instanceof Promise ? await found : found;
      const { sanitized, injection } = finishOutcome(draft, evidence, tool, current);
      if (injection === undefined || (current.onInjection ?? 'flag') === 'flag') return sanitized;
      if (current.onInjection === 'confirm' && current.withheldResults)
        return { kind: 'confirm', question: await current.withheldResults.add(call, tool, sanitized, injection) };
      return failed(withheldError(injection), { injection, ...(sanitized.meta && { meta: sanitized.meta }) });
    };
  };
}

const maxBackChannelBytes = 65_536;

/** The call with a back channel that sanitises and scans progress and log messages like results. */
function withSanitizedBackChannel(
  call: Call,
  tool: Tool,
  { level, redact, checkInjection, onInjection = 'flag', envelope }: OutputRules,
  report: ((call: Call, tool: Tool) => void) | undefined,
): Call {
  const { back } = call;
  if (!back?.progress && !back?.log) return call;
  const rules: OutputRules = { ...(level && { level }), ...(redact && { redact }) };
  return deriveCall(call, {
    back: rewriteBackChannel(back, {
      createVisitor: () => sanitizingVisitor(newReport(), rules, maxBackChannelBytes),
      ...(checkInjection && { hasInjection: (text) => checkInjection(text) !== undefined }),
      ...(report && { onInjection: () => report(call, tool) }),
      // A question or an approval is not possible in the middle of a call: `confirm` drops the message like `block`.
      ...(onInjection === 'flag' && { mark: (text) => envelope?.(text, tool, true) ?? `${injectionMark} ${text}` }),
    }),
  });
}

/** Mark of a message with instructions where no envelope is configured. */
const injectionMark = '[untrusted: contains instructions to the model]';

/** Sanitises a question of the tool itself: it is wrapped to a person or a model, and is as untrusted as any result. */
function sanitizeQuestion(question: Question, tool: Tool, rules: OutputRules): Outcome {
  const report = newReport();
  const visitor = sanitizingVisitor(report, rules, maxBackChannelBytes);
  const read = rewriteAsks(question.asks, visitor);
  if (!visitor.charge(0)) return refuse('upstream_error', `The question of ${tool.source} exceeds the size limit`);
  const injection =
    rules.checkInjection && report.originals.size > 0 ? rules.checkInjection(joinTexts(report.originals)) : undefined;
  if (injection !== undefined && (rules.onInjection ?? 'flag') !== 'flag') return failed(withheldError(injection));
  const provenance = rules.provenance?.(tool);
  const isSame =
    Object.keys(report.removed).length === 0 && Object.keys(report.secrets).length === 0 && !report.truncated;
  const meta = toMeta(undefined, report, isSame, { injection, provenance, isEnveloped: false, kept: 0 });
  const asker = provenance?.['trust'] === 'untrusted' ? tool.source : undefined;
  return { kind: 'confirm', question: { ...question, asks: markAsks(read, asker, meta) } };
}

/** Error in place of a result that contains prompt injection. */
export const withheldError = (why: JsonObject): ToolError => ({
  code: 'output_withheld',
  message: 'The result was withheld: it contains instructions to the model',
  hint: 'The tool ran. Do not repeat the call; a person can review the result in another way',
  decision: { why },
});

/** The rules with the large texts of a result cleaned beforehand, so that they do not block the event loop. */
function withCleanedTexts(outcome: Done | Failed, rules: OutputRules): OutputRules | Promise<OutputRules> {
  const { largeTexts } = rules;
  const large = largeTexts && largeTextsIn(outcome);
  if (!largeTexts || !large || large.size === 0) return rules;
  const cleaned = [...large].map(async (text) => [text, await largeTexts.clean(text)] as const);
  return Promise.all(cleaned).then((entries) => ({ ...rules, cleaned: new Map(entries) }));
}

/** Prompt injection in the original texts; large ones are searched in a worker thread. */
function injectionIn(
  { originals }: SanitizeReport,
  { checkInjection, largeTexts }: OutputRules,
): JsonObject | undefined | Promise<JsonObject | undefined> {
  if (!checkInjection || originals.size === 0) return undefined;
  const text = joinTexts(originals);
  return largeTexts && text.length >= largeTextLength ? largeTexts.injection(text) : checkInjection(text);
}

/** A result after its texts were rewritten, before it is searched for injection. */
interface Draft {
  readonly outcome: Done | Failed;
  readonly report: SanitizeReport;
  readonly content: readonly Content[] | undefined;
  readonly data: Json | undefined;
  readonly error: ToolError | undefined;
  readonly extra: JsonObject | undefined;
  readonly meta: JsonObject | undefined;
  readonly links: readonly ResourceLink[] | undefined;
}

function rewriteOutcome(
  outcome: Done | Failed,
  call: Call,
  tool: Tool,
  rules: OutputRules,
  matchesSchema: (data: Json) => boolean,
): Draft {
  const report = newReport();
  const { maxOutputBytes } = tool.limits;
  const content =
    outcome.content && rewriteContent(outcome.content, sanitizingVisitor(report, rules, maxOutputBytes, report.rest));
  const dataVisitor = sanitizingVisitor(report, rules, maxOutputBytes);
  // Failed outcomes need not match the output schema.
  const mustMatch = outcome.kind === 'done' ? matchesSchema : () => true;
  const data =
    outcome.data === undefined
      ? undefined
      : keepSchemaFit(outcome.data, rewriteData(outcome.data, dataVisitor), tool, rules, mustMatch, report);
  if (!dataVisitor.charge(0)) dropOversizedData(report);
  const error =
    outcome.kind === 'failed' ? rewriteError(outcome.error, sanitizingVisitor(report, rules, 16_384)) : undefined;
  const extra = outcome.extra && sanitizeSideData(outcome.extra, report, rules, maxOutputBytes);
  const meta = outcome.meta && sanitizeSideData(outcome.meta, report, rules, maxOutputBytes);
  const links = report.rest.length > 0 ? rules.storeRest?.(call, tool, report.rest.join('')) : undefined;
  return { outcome, report, content, data, error, extra, meta, links };
}

/** The result as the caller gets it, with its report in the meta. */
function finishOutcome(
  draft: Draft,
  injection: JsonObject | undefined,
  tool: Tool,
  rules: OutputRules,
): { readonly sanitized: Done | Failed; readonly injection?: JsonObject } {
  const { outcome, report, data, error, extra, meta: sanitizedMeta, links } = draft;
  let { content } = draft;
  // Contents of a resource are data, often JSON: markers would break it, and a claim that they are there would be false.
  const enveloped =
    tool.name !== 'resources/read' &&
    rules.envelope &&
    wrapInEnvelope(content ?? [], data, tool, injection !== undefined, rules.envelope);
  if (enveloped) content = enveloped;
  if (links && links.length > 0) content = [...(content ?? []), ...links];

  const isSame =
    report.schemaFix === undefined &&
    content === outcome.content &&
    data === outcome.data &&
    extra === outcome.extra &&
    sanitizedMeta === outcome.meta &&
    (outcome.kind === 'done' || error === outcome.error);
  const meta = toMeta(sanitizedMeta, report, isSame, {
    injection,
    provenance: rules.provenance?.(tool),
    isEnveloped: Boolean(enveloped),
    kept: links?.length ?? 0,
  });
  if (isSame && meta === outcome.meta) return { sanitized: outcome };
  const found = injection && { injection };
  const rest = { ...(data !== undefined && { data }), ...(meta && { meta }), ...(extra && { extra }), ...found };
  if (report.schemaFix === 'dropped')
    return {
      sanitized: schemaMismatch(
        content?.some(({ type }) => type === 'text') === true
          ? content
          : [...(content ?? []), textContent(truncateText(toReadableText([], data), tool.limits.maxOutputBytes).value)],
        report,
        meta,
        found,
      ),
      ...found,
    };
  const sanitized: Done | Failed =
    outcome.kind === 'done'
      ? { ...outcome, content: content ?? [], ...rest }
      : { ...outcome, error: error ?? outcome.error, ...(content && { content }), ...rest };
  return { sanitized, ...found };
}

/** Data with too many keys and numbers cannot be truncated without changing its meaning. */
function dropOversizedData(report: SanitizeReport): void {
  report.truncated = true;
  report.schemaFix = 'dropped';
}

/** Sanitises `extra` and `meta` of a result; drops them if they exceed the limit. */
function sanitizeSideData(
  given: JsonObject,
  report: SanitizeReport,
  rules: OutputRules,
  maxBytes: number,
): JsonObject | undefined {
  const visitor = sanitizingVisitor(report, rules, maxBytes);
  const written = rewriteData(given, visitor) as JsonObject; // types never change
  if (visitor.charge(0)) return written;
  report.truncated = true;
  return undefined;
}

/**
 * Keeps changed data valid against the tool's output schema, since clients reject invalid data: secrets are masked in their own
 * shape, and if even that is invalid, the data is dropped.
 */
function keepSchemaFit(
  given: Json,
  written: Json,
  tool: Tool,
  rules: OutputRules,
  matchesSchema: (data: Json) => boolean,
  report: SanitizeReport,
): Json {
  if (written === given || matchesSchema(written) || !matchesSchema(given)) return written;
  const { redactInShape: redact } = rules;
  // Texts cleaned beforehand have no secret left that could be masked in its shape.
  const noTexts: ReadonlyMap<string, CleanText> = new Map();
  const retryReport = newReport();
  const masked =
    redact === undefined
      ? written
      : rewriteData(
          given,
          sanitizingVisitor(retryReport, { ...rules, redact, cleaned: noTexts }, tool.limits.maxOutputBytes),
        );
  report.schemaFix = matchesSchema(masked) ? 'masked' : 'dropped';
  return report.schemaFix === 'masked' ? masked : written;
}

/** Outcome if data had to be dropped: the result as text, marked as failed, since clients reject a success without data. */
const schemaMismatch = (
  content: readonly Content[],
  { truncated }: SanitizeReport,
  meta: Meta | undefined,
  found: Pick<Failed, 'injection'> | undefined,
): Failed =>
  failed(
    {
      code: truncated ? 'output_limit' : 'output_withheld',
      message: truncated
        ? 'The result was truncated and no longer matches the output schema of the tool'
        : 'The result no longer matches the output schema of the tool after secrets were redacted',
      hint: 'The tool ran; the rest of its result is returned as text',
    },
    { content, ...(meta && { meta }), ...found },
  );

/** Sanitises message, hint and data of an error: upstream servers control those too. */
function rewriteError(given: ToolError, visitor: TextVisitor): ToolError {
  const error = rewriteFields(given, visitor, ['message', 'hint']);
  if (given.data === undefined) return error;
  const data = rewriteData(given.data, visitor) as JsonObject; // types never change
  return data === given.data ? error : { ...error, data };
}

function wrapInEnvelope(
  content: readonly Content[],
  data: Json | undefined,
  tool: Tool,
  isFlagged: boolean,
  envelope: NonNullable<OutputRules['envelope']>,
): readonly Content[] | undefined {
  // Transports show data as text if there is no other text: then that text must be wrapped.
  if (data !== undefined && !content.some((part) => part.type === 'text')) {
    const wrapped =
      envelope('', tool, isFlagged) === undefined ? undefined : envelope(toReadableText([], data), tool, isFlagged);
    return wrapped === undefined ? undefined : [...content, textContent(wrapped)];
  }
  let changed = false;
  const parts = content.map((part) => {
    const written = part.type === 'text' ? envelope(part.text, tool, isFlagged) : undefined;
    if (written === undefined || part.type !== 'text') return part;
    changed = true;
    return { ...part, text: written };
  });
  return changed ? parts : undefined;
}

export interface SanitizeParts {
  readonly output?: OutputRules;
  readonly flows?: { note(call: Call, tool: Tool, labels: readonly string[]): void };
}

export const sanitizeSpec = guardSpec({
  name: 'sanitize',
  does: 'cleans, redacts, scans and truncates the result',
  answers: 'output_withheld',
  make: ({ output = {}, flows }: SanitizeParts) =>
    sanitize(() => output, flows && ((call, tool) => flows.note(call, tool, [instructionsLabel]))),
});
