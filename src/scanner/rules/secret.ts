import { looksLikeLiteralSecret } from '../../hostile-text/literal-secret.js';
import { secretKindIn } from '../../hostile-text/secrets.js';
import { boundNames } from '../ir/names.js';
import type { Module, Spot } from '../ir/nodes.js';
import { pythonCase, scriptCase } from './cases.js';
import { secretInLine } from './secret-evidence.js';
import { servedModules, locationAt } from './module-search.js';
import { isAuxiliary } from '../project/auxiliary-files.js';
import { walkModule } from '../ir/walk.js';
import type { Finding, Rule, RuleContext } from './rule.js';

/** Formats of keys of well-known services. */
const keyShapes =
  /\bAKIA[0-9A-Z]{16}\b|\bgh[pousr]_[A-Za-z0-9]{30,}\b|\b(?:sk|ak|cs|pk|rk)[-_](?:live|prod|test)[-_][A-Za-z0-9]{8,}|\bsk-[A-Za-z0-9]{20,}\b|\beyJ[\w-]{10,}\.eyJ[\w-]{10,}/;
/** A label such as "password:" with a value. */
const labelledSecret =
  /\b([A-Za-z][\w -]{0,30}?(?:password|passwd|secret|api[ _-]?key|access[ _-]?key|private[ _-]?key|token|credential|encryption key|connection string))\s*(?::|=|=>)\s*["']?([^\s"'`,;{}()<>]{8,200})/gi;
/** A line that consists of a labelled key or password. */
const secretLine =
  /^\s*[-*]?\s*(?:[A-Za-z][\w ]{0,30}\b)?(?:password|passwd|secret|api key|[\w ]{0,20}\bapi)\s*:\s*(?=[^\s]*[_\d!@#$-])[^\s"'(){}<>]{10,80}\s*$/i;
/** Values that documentation uses in place of a secret. */
const placeholder =
  /your|example\.|placeholder|changeme|xxx|\*\*\*|\.\.\.|<|dummy|redacted|\$\{|process\.env|os\.environ|getenv|sample|insert|none|null|true|false|undefined|string|optional|required/i;
/** Letters with digits or signs: plain words are no passwords. */
const passwordLike = /^(?=.*[A-Za-z])(?=.*(?:\d|[!@#$%^&*_-])).{8,64}$/;

/** Finds hard-coded keys and passwords. */
export const secret: Rule = {
  id: 'TG-SECRET',
  title: 'A secret is hard-coded',
  severity: 'high',
  cwe: [798, 312],
  owasp: ['MCP01:2025 Token Mismanagement and Secret Exposure'],
  safeMcp: ['SAFE-T1502'],
  why: 'Everyone with the package has the key, and publishing cannot be undone.',
  fix: 'Read it from the environment or a secret store; revoke the published one.',
  cases: [
    pythonCase(
      '',
      'GITHUB_TOKEN = "ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"',
      'import os\nGITHUB_TOKEN = os.environ["GITHUB_TOKEN"]',
    ),
    scriptCase('', "const apiKey = 'sk_live_51HxEcTGj8ZkHytYqEGBwZfm';", 'const apiKey = process.env.API_KEY;'),
  ],
  find: (context) => [...findInCode(context), ...findInTexts(context)],
};

/** A finding of this rule; uncertain ones have a lower severity. */
const toSecretFinding = (kind: string, sure: boolean, location: Finding['location']): Finding => ({
  rule: secret.id,
  kind: 'bug',
  severity: sure ? 'high' : 'medium',
  message: `${kind} is hard-coded`,
  location,
});

function findInCode(context: RuleContext): Finding[] {
  return servedModules(context).flatMap((module) => {
    const found = new Map<number, Finding>();
    for (const { start, kind, sure } of hitsIn(module)) {
      const location = locationAt(module, start);
      const before = found.get(location.startLine);
      // Bounded: a file of test data must not fill the report.
      if (found.size < 50 && (!before || (sure && before.severity !== 'high')))
        found.set(location.startLine, toSecretFinding(kind, sure, location));
    }
    return [...found.values()];
  });
}

/** A suspected secret. */
interface Hit {
  readonly start: number;
  readonly kind: string;
  readonly sure: boolean;
}

/** Pre-check on text, because parsing every function body would be too slow. */
const mayContainSecret =
  /pwd|passw|secret|\bapi\s*:|(?:passphrase|credential|bearer|(?:api|access|private|signing|encryption)[ _-]?key|auth|token)[\w$-]*["'\]]*\s*[:=]\s*["'`]|(?:api[ _-]?key|access[ _-]?key|private[ _-]?key|token|credential|encryption key|connection string)\s*(?::|=>?)\s*["']?[^\s"'`,;{}()<>]{8}/i;

/** Words that precede every secret stated in plain text; a fast pre-check. */
const secretWord = /passw|secret|key|token|credential|connection string|api/i;

/** Whether a text contains a known key format anywhere; if not, none of its parts does. */
const hasKeyShape = (text: string): boolean => keyShapes.test(text) || secretKindIn(text) !== undefined;

/** All suspected secrets of a module in one walk: those with a telltale name first, then those found in string contents. */
function hitsIn(module: Module): readonly Hit[] {
  const isShaped = hasKeyShape(module.text);
  const named: Hit[] = [];
  const written: Hit[] = [];
  walkModule(module, {
    mayContain: (text) => mayContainSecret.test(text) || (isShaped && hasKeyShape(text)),
    stmt: (stmt) => {
      if (stmt.kind === 'assign' && stmt.value?.kind === 'literal')
        for (const name of boundNames(stmt.target)) addNamedSecret(name, stmt.value.value, stmt.value.start, named);
    },
    expr: (expr) => {
      if (expr.kind === 'literal' || expr.kind === 'template') addLiteralSecrets(module, expr, isShaped, written);
      else if (expr.kind === 'dict') {
        for (const { key, value } of expr.entries)
          if (key?.kind === 'literal' && value.kind === 'literal')
            addNamedSecret(String(key.value), value.value, value.start, named);
      } else if (expr.kind === 'call')
        for (const arg of expr.args)
          if (arg.name !== undefined && arg.value.kind === 'literal')
            addNamedSecret(arg.name, arg.value.value, arg.value.start, named);
    },
  });
  return [...named, ...written];
}

/** Adds a literal that is bound to a secret-like name. */
function addNamedSecret(key: string, value: unknown, start: number, hits: Hit[]): void {
  // Longer texts are data, shorter ones are no credentials.
  if (typeof value !== 'string' || value.length > 4_000 || value.length < 8 || placeholder.test(value)) return;
  const why = looksLikeLiteralSecret(key, value);
  if (why?.why === 'known-format') {
    const found = secretInLine(value);
    if (found) hits.push({ start, kind: `A ${found.kind}`, sure: found.isSure });
  } else if (
    /(?:pwd|passw|secret)/i.test(value) &&
    /[!@#$%^&*]|\d/.test(value) &&
    !/\s|[/:.(){}]/.test(value) &&
    value.length <= 40
  )
    hits.push({ start, kind: 'A value that looks like a password', sure: false });
  // Names such as `token` also hold identifiers, URLs and header names.
  else if (
    why?.why === 'named-like-a-secret' &&
    passwordLike.test(value) &&
    !/^[a-z]+(?:[-_.][a-z]+)*$/.test(value) &&
    !/^https?:|^\/|^(?:(?:Bearer|Basic|Token) )?[A-Z][A-Z_]+$/.test(value)
  )
    hits.push({ start, kind: 'A value named like a secret', sure: false });
}

/** Longer literals are embedded data; only their beginning is examined. */
const maxLiteral = 20_000;

/** Adds known key formats inside a string, and passwords stated in plain text. */
function addLiteralSecrets(module: Module, { start, end }: Spot, isShaped: boolean, hits: Hit[]): void {
  if (end - start < 12) return;
  const text = module.text.slice(start, Math.min(end, start + maxLiteral));
  // The module-wide check is conclusive unless the literal was truncated.
  const mayBeShaped = isShaped || end - start > maxLiteral;
  const isLong = end - start > 60 || text.includes('\n');
  if (!mayBeShaped && !(isLong && secretWord.test(text))) return;
  let at = start;
  for (const line of text.split('\n')) {
    const found = mayBeShaped && line.length < 5_000 ? secretInLine(line) : undefined;
    const kind = found?.kind;
    // A PEM header alone is a search pattern, not a key.
    if (kind === 'private-key' && !/PRIVATE KEY-----[\s\S]*[A-Za-z0-9+/=]{32}/.test(text)) return;
    if (found && kind !== 'password-in-url') hits.push({ start: at, kind: `A ${kind}`, sure: found.isSure });
    else if (found && !placeholder.test(line)) hits.push({ start: at, kind: 'A password in a URL', sure: false });
    else if (mayBeShaped && keyShapes.test(line) && !/x{6}|\.\.\./i.test(line))
      hits.push({ start: at, kind: 'A value that looks like a key', sure: false });
    else if (isLong && statesSecret(line)) hits.push({ start: at, kind: 'A password or key', sure: false });
    at += line.length + 1;
  }
}

/** Whether a line states a key or password in plain text. */
function statesSecret(line: string): boolean {
  // The cheap pre-check rejects most lines.
  if (!secretWord.test(line)) return false;
  if (secretLine.test(line) && !placeholder.test(line.replace(/^[^:]*:/, ''))) return true;
  return [...line.matchAll(labelledSecret)].some(
    ([, , value = '']) =>
      passwordLike.test(value) &&
      !placeholder.test(value) &&
      /\d/.test(value) &&
      !/^[\w.]+\(|\.\w+$|^https?:/.test(value),
  );
}

/** Finds secrets in published environment and configuration files. */
function findInTexts(context: RuleContext): Finding[] {
  return [...context.texts].flatMap(([path, text]) => {
    // Examples and templates hold placeholders on purpose.
    if (isAuxiliary(path) || /package\.json$|setup\.py$|example|sample|template/i.test(path)) return [];
    return text
      .split('\n')
      .slice(0, 5_000)
      .flatMap((line, at): Finding[] => {
        const pair = /^\s*(?:export\s+)?["']?([\w.-]{2,60})["']?\s*[:=]\s*["']?([^\s"'#]{8,200})/.exec(line);
        if (!pair?.[1] || !pair[2] || (placeholder.test(pair[2]) && !/^[A-Za-z0-9/+_-]{32,}$/.test(pair[2]))) return [];
        const why = looksLikeLiteralSecret(pair[1], pair[2]);
        const isEnv = /\.env/i.test(path);
        const known = why?.why === 'known-format' ? secretInLine(pair[2]) : undefined;
        if (why?.why === 'known-format' && !known) return [];
        if (
          !known &&
          !(isEnv && why?.why === 'named-like-a-secret') &&
          !(
            isEnv &&
            (keyShapes.test(pair[2]) ||
              (/secret|token|passw|api_?key/i.test(pair[1]) && /^[A-Za-z0-9/+_-]{32,}$/.test(pair[2])))
          )
        )
          return [];
        return [
          toSecretFinding(known ? `A ${known.kind}` : 'A value named like a secret', known?.isSure === true, {
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
