import { looksLikeLiteralSecret } from '../../hostile-text/literal-secret.js';
import { secretKindIn } from '../../hostile-text/secrets.js';
import { boundNames } from '../ir/names.js';
import type { Module, Spot } from '../ir/nodes.js';
import { pythonCase, scriptCase } from './cases.js';
import { servedModules, spotAt } from './literals.js';
import { isAside } from '../project/aside.js';
import { walkModule } from '../ir/walk.js';
import type { Finding, Rule, Scanned } from './rule.js';

const shapes =
  /\bAKIA[0-9A-Z]{16}\b|\bgh[pousr]_[A-Za-z0-9]{30,}\b|\b(?:sk|ak|cs|pk|rk)[-_](?:live|prod|test)[-_][A-Za-z0-9]{8,}|\bsk-[A-Za-z0-9]{20,}\b|\beyJ[\w-]{10,}\.eyJ[\w-]{10,}/;
const labelled =
  /\b([A-Za-z][\w -]{0,30}?(?:password|passwd|secret|api[ _-]?key|access[ _-]?key|private[ _-]?key|token|credential|encryption key|connection string))\s*(?::|=|=>)\s*["']?([^\s"'`,;{}()<>]{8,200})/gi;
/** A line of a text that tells a key or password and nothing else. */
const tellingLine =
  /^\s*[-*]?\s*(?:[A-Za-z][\w ]{0,30}\b)?(?:password|passwd|secret|api key|[\w ]{0,20}\bapi)\s*:\s*(?=[^\s]*[_\d!@#$-])[^\s"'(){}<>]{10,80}\s*$/i;
const fake =
  /your|example\.|placeholder|changeme|xxx|\*\*\*|\.\.\.|<|dummy|redacted|\$\{|process\.env|os\.environ|getenv|sample|insert|none|null|true|false|undefined|string|optional|required/i;
const password = /^(?=.*[A-Za-z])(?=.*(?:\d|[!@#$%^&*_-])).{8,64}$/;

/** A key or password is written into the code. */
export const secret: Rule = {
  id: 'TG-SECRET',
  title: 'A secret is written into the code',
  severity: 'high',
  cwe: [798, 312],
  owasp: ['MCP01:2025 Token Mismanagement and Secret Exposure'],
  safeMcp: ['SAFE-T1502'],
  why: 'Whoever has the package has the key, and it cannot be taken back.',
  mend: 'Read it from the environment or a secret store; revoke the one that was published.',
  cases: [
    pythonCase(
      '',
      'GITHUB_TOKEN = "ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"',
      'import os\nGITHUB_TOKEN = os.environ["GITHUB_TOKEN"]',
    ),
    scriptCase('', "const apiKey = 'sk_live_51HxEcTGj8ZkHytYqEGBwZfm';", 'const apiKey = process.env.API_KEY;'),
  ],
  find: (scanned) => [...inCode(scanned), ...inTexts(scanned)],
};

const finding = (kind: string, sure: boolean, location: Finding['location']): Finding => ({
  rule: secret.id,
  kind: 'bug',
  severity: sure ? 'high' : 'medium',
  message: `${kind} is written into the code`,
  location,
});

/** Kinds that are often published on purpose: sample tokens, and keys that browsers send along. */
const isOften = (kind: string): boolean => kind === 'jwt' || kind === 'google-key';

function inCode(scanned: Scanned): Finding[] {
  return servedModules(scanned).flatMap((module) => {
    const found = new Map<number, Finding>();
    for (const { start, kind, sure } of hitsIn(module)) {
      const location = spotAt(module, start);
      const before = found.get(location.startLine);
      if (found.size < 50 && (!before || (sure && before.severity !== 'high')))
        found.set(location.startLine, finding(kind, sure, location));
    }
    return [...found.values()];
  });
}

interface Hit {
  readonly start: number;
  readonly kind: string;
  readonly sure: boolean;
}

const telling =
  /pwd|passw|secret|\bapi\s*:|(?:passphrase|credential|bearer|(?:api|access|private|signing|encryption)[ _-]?key|auth|token)[\w$-]*["'\]]*\s*[:=]\s*["'`]|(?:api[ _-]?key|access[ _-]?key|private[ _-]?key|token|credential|encryption key|connection string)\s*(?::|=>?)\s*["']?[^\s"'`,;{}()<>]{8}/i;

/** What stands in front of anything that a line of a text tells outright. */
const tellingWord = /passw|secret|key|token|credential|connection string|api/i;

/** Whether a text holds a known shape of key anywhere; what holds none has none in its parts either. */
const hasShape = (text: string): boolean => shapes.test(text) || secretKindIn(text) !== undefined;

/** All that is taken for a secret in a module, in one walk: first what its name tells, then what its text tells. */
function hitsIn(module: Module): readonly Hit[] {
  const isShaped = hasShape(module.text);
  const named: Hit[] = [];
  const written: Hit[] = [];
  walkModule(module, {
    mayHold: (text) => telling.test(text) || (isShaped && hasShape(text)),
    stmt: (stmt) => {
      if (stmt.kind === 'assign' && stmt.value?.kind === 'literal')
        for (const name of boundNames(stmt.target)) judge(name, stmt.value.value, stmt.value.start, named);
    },
    expr: (expr) => {
      if (expr.kind === 'literal' || expr.kind === 'template') inLiteral(module, expr, isShaped, written);
      else if (expr.kind === 'dict') {
        for (const { key, value } of expr.entries)
          if (key?.kind === 'literal' && value.kind === 'literal')
            judge(String(key.value), value.value, value.start, named);
      } else if (expr.kind === 'call')
        for (const arg of expr.args)
          if (arg.name !== undefined && arg.value.kind === 'literal')
            judge(arg.name, arg.value.value, arg.value.start, named);
    },
  });
  return [...named, ...written];
}

/** A name that stands for a secret, bound to a literal. */
function judge(key: string, value: unknown, start: number, hits: Hit[]): void {
  if (typeof value !== 'string' || value.length > 4_000 || value.length < 8 || fake.test(value)) return;
  const why = looksLikeLiteralSecret(key, value);
  if (why?.why === 'known-format') hits.push({ start, kind: `A ${why.kind}`, sure: !isOften(why.kind) });
  else if (
    /(?:pwd|passw|secret)/i.test(value) &&
    /[!@#$%^&*]|\d/.test(value) &&
    !/\s|[/:.(){}]/.test(value) &&
    value.length <= 40
  )
    hits.push({ start, kind: 'What reads like a password', sure: false });
  else if (
    why?.why === 'named-like-a-secret' &&
    password.test(value) &&
    !/^[a-z]+(?:[-_.][a-z]+)*$/.test(value) &&
    !/^https?:|^\/|^[A-Z][A-Z_]+$/.test(value)
  )
    hits.push({ start, kind: 'What is named like a secret', sure: false });
}

const maxLiteral = 20_000;

/** Known shapes inside any string, and texts that tell a password outright. */
function inLiteral(module: Module, { start, end }: Spot, isShaped: boolean, hits: Hit[]): void {
  if (end - start < 12) return;
  const text = module.text.slice(start, Math.min(end, start + maxLiteral));
  // Only where it was cut short may a text have a shape that its module has not.
  const mayBeShaped = isShaped || end - start > maxLiteral;
  const isLong = end - start > 60 || text.includes('\n');
  if (!mayBeShaped && !(isLong && tellingWord.test(text))) return;
  let at = start;
  for (const line of text.split('\n')) {
    const kind = mayBeShaped && line.length < 5_000 ? secretKindIn(line) : undefined;
    // The first line of a key alone is what code looks for, not a key.
    if (kind === 'private-key' && !/PRIVATE KEY-----[\s\S]*[A-Za-z0-9+/=]{32}/.test(text)) return;
    if (kind !== undefined && kind !== 'password-in-url')
      hits.push({ start: at, kind: `A ${kind}`, sure: !isOften(kind) });
    else if (kind !== undefined && !fake.test(line)) hits.push({ start: at, kind: 'A password in a URL', sure: false });
    else if (mayBeShaped && shapes.test(line) && !/x{6}|\.\.\./i.test(line))
      hits.push({ start: at, kind: 'What looks like a key', sure: false });
    else if (isLong && tellsOutright(line)) hits.push({ start: at, kind: 'A password or key', sure: false });
    at += line.length + 1;
  }
}

/** Whether a line of a text tells a key or password in words. */
function tellsOutright(line: string): boolean {
  if (!tellingWord.test(line)) return false;
  if (tellingLine.test(line) && !fake.test(line.replace(/^[^:]*:/, ''))) return true;
  return [...line.matchAll(labelled)].some(
    ([, , told = '']) =>
      password.test(told) && !fake.test(told) && /\d/.test(told) && !/^[\w.]+\(|\.\w+$|^https?:/.test(told),
  );
}

/** Environment files and settings that were published along. */
function inTexts(scanned: Scanned): Finding[] {
  return [...scanned.texts].flatMap(([path, text]) => {
    if (isAside(path) || /package\.json$|setup\.py$|example|sample|template/i.test(path)) return [];
    return text
      .split('\n')
      .slice(0, 5_000)
      .flatMap((line, at): Finding[] => {
        const pair = /^\s*(?:export\s+)?["']?([\w.-]{2,60})["']?\s*[:=]\s*["']?([^\s"'#]{8,200})/.exec(line);
        if (!pair?.[1] || !pair[2] || (fake.test(pair[2]) && !/^[A-Za-z0-9/+_-]{32,}$/.test(pair[2]))) return [];
        const why = looksLikeLiteralSecret(pair[1], pair[2]);
        const isEnv = /\.env/i.test(path);
        const sure = why?.why === 'known-format';
        if (
          !sure &&
          !(isEnv && why?.why === 'named-like-a-secret') &&
          !(
            isEnv &&
            (shapes.test(pair[2]) ||
              (/secret|token|passw|api_?key/i.test(pair[1]) && /^[A-Za-z0-9/+_-]{32,}$/.test(pair[2])))
          )
        )
          return [];
        return [
          finding(sure ? `A ${why.kind}` : 'What is named like a secret', sure, {
            file: path,
            startLine: at + 1,
            startColumn: 1,
            endLine: at + 1,
            endColumn: line.length + 1,
          }),
        ];
      });
  });
}
