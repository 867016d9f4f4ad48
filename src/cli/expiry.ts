/** Calendar-free lengths: a year is 365 days, so that an expiry does not depend on the month it is created in. */
const unitMs: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
  y: 31_536_000_000,
};

/** Parses a duration from now (`90d`) or a date (`2027-01-31`); undefined if it is neither, or in the past. */
export function parseExpiry(text: string, now: number = Date.now()): Date | undefined {
  const span = /^(\d{1,6})([mhdwy])$/.exec(text);
  const at = span
    ? now + Number(span[1]) * (unitMs[span[2] ?? ''] ?? Number.NaN)
    : /^\d{4}-\d{2}-\d{2}(T[\d:.]+Z)?$/.test(text)
      ? Date.parse(text)
      : Number.NaN;
  // 8.64e15 ms is the end of the range of Date; beyond it toISOString throws.
  return Number.isNaN(at) || at <= now || at > 8.64e15 ? undefined : new Date(at);
}
