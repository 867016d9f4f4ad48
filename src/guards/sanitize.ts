import type { Content, ResourceContents } from '../core/content.js';
import { text } from '../core/content.js';
import type { ToolError } from '../core/errors.js';
import type { Guard } from '../core/guard.js';
import type { Json, JsonObject } from '../core/json.js';
import type { Outcome } from '../core/outcome.js';
import type { CleanLevel } from '../lib/hostile-text/clean.js';
import { clean } from '../lib/hostile-text/clean.js';
import { truncateText } from '../lib/truncate.js';

/** Deeper data is cut off: whoever nests so far wants to exhaust a reader. */
const maxDepth = 200;

/**
 * Takes out of a result what a reader cannot see or a terminal would obey, and cuts it to the tool's output limit.
 * Nothing is done silently: `toolgate/sanitized` in the result's meta says what. Keys and types never change.
 */
export function sanitize(options: { readonly level?: CleanLevel } = {}): Guard {
  const { level = 'full' } = options;
  return (tool, next) => async (call) => washed(await next(call), tool.limits.maxOutputBytes, level);
}

/** What was done to one outcome. */
interface Report {
  readonly removed: Record<string, number>;
  truncated: boolean;
}

interface Washer {
  string(value: string): string;
  /** Says that something was left out. */
  cut(): void;
  readonly budget: { left: number };
}

function washed(outcome: Outcome, maxBytes: number, level: CleanLevel): Outcome {
  if (outcome.kind === 'confirm') return outcome;
  const report: Report = { removed: {}, truncated: false };
  const content = outcome.content && list(outcome.content, washer(report, level, maxBytes), part);
  const data = outcome.data === undefined ? undefined : json(outcome.data, washer(report, level, maxBytes), 0);
  if (outcome.kind === 'failed') {
    const error = errorText(outcome.error, washer(report, level, 16_384));
    if (error === outcome.error && content === outcome.content && data === outcome.data) return outcome;
    return { ...outcome, error, ...(content && { content }), ...(data !== undefined && { data }), meta: noted(outcome.meta, report) };
  }
  if (content === outcome.content && data === outcome.data) return outcome;
  return { ...outcome, content: content ?? [], ...(data !== undefined && { data }), meta: noted(outcome.meta, report) };
}

function washer(report: Report, level: CleanLevel, maxBytes: number): Washer {
  const budget = { left: maxBytes };
  return {
    budget,
    cut() {
      report.truncated = true;
    },
    string(value) {
      const cleaned = clean(value, level);
      let result = cleaned.text;
      if (result !== value) {
        for (const [kind, count] of Object.entries(cleaned.removed)) report.removed[kind] = (report.removed[kind] ?? 0) + count;
      }
      // A string of n characters has at most 3n bytes: most need no counting.
      if (result.length * 3 > budget.left) {
        const cut = truncateText(result, Math.max(0, budget.left));
        if (cut.truncated) {
          report.truncated = true;
          result = cut.value;
        }
      }
      budget.left -= result.length;
      return result;
    },
  };
}

function list<T>(values: readonly T[], wash: Washer, each: (value: T, wash: Washer) => T): readonly T[] {
  let copy: T[] | undefined;
  for (const [index, value] of values.entries()) {
    const result = each(value, wash);
    if (result !== value) (copy ??= [...values])[index] = result;
  }
  return copy ?? values;
}

function part(value: Content, wash: Washer): Content {
  switch (value.type) {
    case 'text': {
      const result = wash.string(value.text);
      return result === value.text ? value : { ...value, text: result };
    }
    case 'image':
    case 'audio':
      // Half an image is no image: what does not fit is named instead.
      if (value.data.length <= wash.budget.left) {
        wash.budget.left -= value.data.length;
        return value;
      }
      wash.cut();
      return text(wash.string(`[${value.type} of ${value.data.length} base64 characters left out: over the output limit]`));
    case 'resource': {
      const result = resource(value.resource, wash);
      return result === value.resource ? value : { ...value, resource: result };
    }
    case 'resource_link':
      return fields(value, wash, ['name', 'title', 'description']);
    default:
      return value;
  }
}

const resource = (value: ResourceContents, wash: Washer): ResourceContents => fields(value, wash, ['text']);

function fields<T extends object, K extends keyof T>(value: T, wash: Washer, names: readonly K[]): T {
  let result = value;
  for (const name of names) {
    const given = value[name];
    if (typeof given !== 'string') continue;
    const washedText = wash.string(given);
    if (washedText !== given) result = { ...result, [name]: washedText };
  }
  return result;
}

function json(value: Json, wash: Washer, depth: number): Json {
  if (typeof value === 'string') return wash.string(value);
  if (value === null || typeof value !== 'object') return value;
  if (depth >= maxDepth) {
    wash.cut();
    return wash.string('[nested too deep]');
  }
  if (isList(value)) return list(value, wash, (item) => json(item, wash, depth + 1));
  let copy: Record<string, Json | undefined> | undefined;
  for (const key of Object.keys(value)) {
    const given = value[key];
    if (given === undefined) continue;
    const result = json(given, wash, depth + 1);
    // defineProperty: a key named __proto__ must stay a key.
    if (result !== given) Object.defineProperty((copy ??= { ...value }), key, { value: result, enumerable: true, configurable: true, writable: true });
  }
  return copy ?? value;
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);

const errorText = (error: ToolError, wash: Washer): ToolError => fields(error, wash, ['message', 'hint']);

function noted(meta: JsonObject | undefined, report: Report): JsonObject {
  return { ...meta, 'toolgate/sanitized': { removed: report.removed, truncated: report.truncated } };
}
