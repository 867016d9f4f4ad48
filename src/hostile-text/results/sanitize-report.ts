import type { JsonObject } from '../../core/json.js';
import type { Meta } from '../../core/outcome.js';
import { truncateText } from '../../lib/text/truncate.js';
import type { CleanLevel } from '../clean.js';
import type { SecretRedactor } from '../secrets.js';
import type { CleanText } from './clean-text.js';
import { removeHostileText } from './clean-text.js';
import type { TextVisitor } from './rewrite-content.js';

/** Finds instructions to the model in a text (prompt injection); undefined if there are none. */
type InjectionCheck = (text: string) => JsonObject | undefined;

/** Steps applied to each text; absent ones are skipped. */
export interface TextRules {
  readonly level?: CleanLevel;
  readonly redact?: SecretRedactor;
  readonly checkInjection?: InjectionCheck;
  /** Texts that were cleaned before, in a worker thread. */
  readonly cleaned?: ReadonlyMap<string, CleanText>;
}

/** Changes made to one outcome. */
export interface SanitizeReport {
  readonly removed: Record<string, number>;
  readonly secrets: Record<string, number>;
  /** Original texts to scan for injection, without duplicates. */
  readonly originals: Set<string>;
  /** Texts behind the cut, kept for the caller to read later. */
  readonly rest: string[];
  truncated: boolean;
  /** What was necessary to keep data valid against its schema. */
  schemaFix?: 'masked' | 'dropped';
}

export const newReport = (): SanitizeReport => ({
  removed: {},
  secrets: {},
  originals: new Set(),
  rest: [],
  truncated: false,
});

/** Visitor that cleans, redacts, scans and truncates every text, and notes what it changed. */
export function sanitizingVisitor(
  report: SanitizeReport,
  { level = 'full', redact, checkInjection, cleaned: known }: TextRules,
  maxBytes: number,
  rest?: string[],
): TextVisitor {
  /** Bytes left for text. */
  let left = maxBytes;
  /** Characters of everything that is not text. */
  let weight = 0;
  return {
    markTruncated() {
      report.truncated = true;
    },
    reserve(length) {
      if (length > left) return false;
      left -= length;
      return true;
    },
    charge(length) {
      weight += length;
      return weight <= maxBytes;
    },
    text(value) {
      const cleaned = known?.get(value) ?? removeHostileText(value, level, redact);
      if (cleaned.text !== value) {
        addCounts(report.removed, cleaned.removed);
        addCounts(report.secrets, cleaned.secrets);
      }
      let result = cleaned.text;
      // A string of n characters has at most 3n bytes, so most need no counting.
      if (result.length * 3 > left) {
        const cut = truncateText(result, Math.max(0, left));
        if (cut.truncated) {
          report.truncated = true;
          rest?.push(result.slice(cut.value.length));
          result = cut.value;
        }
      }
      left -= result.length;
      // Detect injection in the original text, not in the cleaned one: hidden characters are part of the evidence. The truncated rest is
      // scanned when it is read.
      if (checkInjection && value.length >= minInstructionLength)
        // A margin behind the cut, so that an instruction across it is still recognised.
        report.originals.add(
          value.length > result.length + scanMargin ? value.slice(0, result.length + scanMargin) : value,
        );
      return result;
    },
  };
}

/** Joins all texts; most results have one, which is not copied. */
export function joinTexts(texts: ReadonlySet<string>): string {
  const [first = ''] = texts;
  return texts.size === 1 ? first : [...texts].join('\n');
}

/** Shorter texts cannot contain an instruction. */
const minInstructionLength = 12;
const scanMargin = 4_096;

// Keys are kinds of our own tables, so that a plain record is safe here.
function addCounts(to: Record<string, number>, counts: Readonly<Record<string, number>>): void {
  for (const [kind, count] of Object.entries(counts)) to[kind] = (to[kind] ?? 0) + count;
}

/** What else is reported about a result. */
interface Notes {
  readonly injection: JsonObject | undefined;
  readonly provenance: JsonObject | undefined;
  readonly isEnveloped: boolean;
  readonly kept: number;
}

/** Meta of a result with what was changed and found. */
export function toMeta(
  meta: Meta | undefined,
  { removed, secrets, truncated, schemaFix: fitted }: SanitizeReport,
  isSame: boolean,
  { injection, provenance, isEnveloped, kept }: Notes,
): Meta | undefined {
  // The same object: an unchanged result costs no copy on its way out.
  if (isSame && injection === undefined && provenance === undefined) return meta;
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
    ...(injection && { 'toolgate/injection': injection }),
    ...(provenance && { 'toolgate/provenance': provenance }),
  };
}
