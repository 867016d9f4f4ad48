const units: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
  y: 31_536_000_000,
};

/** The moment at which a time span such as `90d` from now or a date such as `2027-01-31` ends; undefined where it is neither or is over. */
export function lifetime(text: string, now: number = Date.now()): Date | undefined {
  const span = /^(\d{1,6})([mhdwy])$/.exec(text);
  const at = span
    ? now + Number(span[1]) * (units[span[2] ?? ''] ?? Number.NaN)
    : /^\d{4}-\d{2}-\d{2}(T[\d:.]+Z)?$/.test(text)
      ? Date.parse(text)
      : Number.NaN;
  return Number.isNaN(at) || at <= now || at > 8.64e15 ? undefined : new Date(at);
}
