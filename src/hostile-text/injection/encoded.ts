import type { Match, RuleFamily } from './rule.js';

const RUN_LENGTH = 24;
const MAX_RUNS = 16;
const MAX_RUN_LENGTH = 4096;

const family: RuleFamily = 'encoded';
const RULES = {
  base64: { id: 'encoded-base64', family, why: 'Decoded from base64, it instructs the model.' },
  hex: { id: 'encoded-hex', family, why: 'Decoded from hexadecimal, it instructs the model.' },
  percent: { id: 'encoded-percent', family, why: 'Decoded from URL escapes, it instructs the model.' },
};

const RUN = Uint8Array.from({ length: 128 }, (_, unit) => (/[\w+/%=-]/.test(String.fromCharCode(unit)) ? 1 : 0));
const PRINTABLE = /^[\t\n\r\x20-\x7e]{12,}$/;

/** Encoded payloads that contain instructions after decoding; decoded once, up to a fixed amount. */
export function encodedMatches(text: string, speaks: (decoded: string) => boolean): Match[] {
  const matches: Match[] = [];
  let decodedRuns = 0;
  for (const { start, end } of longRuns(text)) {
    if (decodedRuns >= MAX_RUNS) break;
    const [rule, decoded] = decode(text.slice(start, Math.min(end, start + MAX_RUN_LENGTH)));
    if (decoded === undefined) continue;
    decodedRuns++;
    if (speaks(decoded)) matches.push({ rule, weight: 1, full: 1, start, end });
  }
  return matches;
}

/** Runs of letters that base64, hexadecimal or URL escapes are written in; every run of that length covers a multiple of it. */
function* longRuns(text: string): Generator<{ readonly start: number; readonly end: number }> {
  for (let at = RUN_LENGTH - 1; at < text.length; at += RUN_LENGTH) {
    if (!isRun(text.charCodeAt(at))) continue;
    let start = at;
    let end = at + 1;
    while (start > 0 && isRun(text.charCodeAt(start - 1))) start--;
    while (end < text.length && isRun(text.charCodeAt(end))) end++;
    if (end - start >= RUN_LENGTH) yield { start, end };
    at = Math.max(at, end - (end % RUN_LENGTH) - 1);
  }
}

const isRun = (unit: number): boolean => unit < 128 && RUN[unit] === 1;

function decode(run: string): readonly [rule: Match['rule'], decoded: string | undefined] {
  if (run.includes('%'))
    return [
      RULES.percent,
      printableText(
        run
          .replaceAll('+', ' ')
          .replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
      ),
    ];
  if (/^(?:[0-9a-f]{2})+$/i.test(run)) return [RULES.hex, printableText(Buffer.from(run, 'hex').toString('latin1'))];
  return [RULES.base64, printableText(Buffer.from(run.slice(0, MAX_RUN_LENGTH), 'base64').toString('latin1'))];
}

/** Hashes, keys and images decode to noise; only prose is scanned again. */
const printableText = (decoded: string): string | undefined =>
  PRINTABLE.test(decoded) && decoded.includes(' ') ? decoded : undefined;
