import type { CleanLevel } from '../clean.js';
import { clean } from '../clean.js';
import type { SecretRedactor } from '../secrets.js';

/** A text without hidden characters and secrets, and how often each kind was removed. */
export interface CleanText {
  readonly text: string;
  readonly removed: Readonly<Record<string, number>>;
  readonly secrets: Readonly<Record<string, number>>;
}

const none: Readonly<Record<string, number>> = Object.freeze({});

/** Removes hidden characters, then secrets: a hidden character must not split a secret. */
export function removeHostileText(value: string, level: CleanLevel, redact: SecretRedactor | undefined): CleanText {
  const cleaned = clean(value, level);
  const redacted = redact?.(cleaned.text);
  return {
    text: redacted?.text ?? cleaned.text,
    removed: cleaned.text === value ? none : cleaned.removed,
    secrets: redacted?.findings.length
      ? Object.fromEntries(redacted.findings.map(({ kind, count }) => [kind, count]))
      : none,
  };
}
