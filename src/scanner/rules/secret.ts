import { looksLikeLiteralSecret } from '../../lib/hostile-text/literal-secret.js';
import { secretKindIn } from '../../lib/hostile-text/secrets.js';
import { boundNames } from '../ir/names.js';
import type { Module } from '../ir/nodes.js';
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
    const add = (start: number, kind: string, sure: boolean): void => {
      const location = spotAt(module, start);
      const before = found.get(location.startLine);
      if (found.size < 50 && (!before || (sure && before.severity !== 'high')))
        found.set(location.startLine, finding(kind, sure, location));
    };
    named(module, add);
    literals(module, add);
    return [...found.values()];
  });
}

const telling =
  /pwd|passw|secret|\bapi\s*:|(?:passphrase|credential|bearer|(?:api|access|private|signing|encryption)[ _-]?key|auth|token)[\w$-]*["'\]]*\s*[:=]\s*["'`]|(?:api[ _-]?key|access[ _-]?key|private[ _-]?key|token|credential|encryption key|connection string)\s*(?::|=>?)\s*["']?[^\s"'`,;{}()<>]{8}/i;

/** Whether a text may hold anything that the searches below take for a secret. */
const mayHold = (text: string): boolean => telling.test(text) || shapes.test(text) || secretKindIn(text) !== undefined;

/** Names that stand for a secret, bound to a literal. */
function named(module: Module, add: (start: number, kind: string, sure: boolean) => void): void {
  const judge = (key: string, value: unknown, start: number): void => {
    if (typeof value !== 'string' || value.length > 4_000 || value.length < 8 || fake.test(value)) return;
    const why = looksLikeLiteralSecret(key, value);
    if (why?.why === 'known-format') add(start, `A ${why.kind}`, !isOften(why.kind));
    else if (
      /(?:pwd|passw|secret)/i.test(value) &&
      /[!@#$%^&*]|\d/.test(value) &&
      !/\s|[/:.(){}]/.test(value) &&
      value.length <= 40
    )
      add(start, 'What reads like a password', false);
    else if (
      why?.why === 'named-like-a-secret' &&
      password.test(value) &&
      !/^[a-z]+(?:[-_.][a-z]+)*$/.test(value) &&
      !/^https?:|^\/|^[A-Z][A-Z_]+$/.test(value)
    )
      add(start, 'What is named like a secret', false);
  };
  walkModule(module, {
    mayHold,
    stmt: (stmt) => {
      if (stmt.kind === 'assign' && stmt.value?.kind === 'literal')
        for (const name of boundNames(stmt.target)) judge(name, stmt.value.value, stmt.value.start);
    },
    expr: (expr) => {
      if (expr.kind === 'dict')
        for (const { key, value } of expr.entries)
          if (key?.kind === 'literal' && value.kind === 'literal') judge(String(key.value), value.value, value.start);
      if (expr.kind === 'call')
        for (const arg of expr.args)
          if (arg.name !== undefined && arg.value.kind === 'literal') judge(arg.name, arg.value.value, arg.value.start);
    },
  });
}

/** Known shapes inside any string, and texts that tell a password outright. */
function literals(module: Module, add: (start: number, kind: string, sure: boolean) => void): void {
  walkModule(module, {
    mayHold,
    expr: (expr) => {
      if (expr.kind !== 'literal' && expr.kind !== 'template') return;
      const text = module.text.slice(expr.start, Math.min(expr.end, expr.start + 20_000));
      if (text.length < 12) return;
      let offset = 0;
      for (const line of text.split('\n')) {
        const kind = line.length < 5_000 ? secretKindIn(line) : undefined;
        // The first line of a key alone is what code looks for, not a key.
        if (kind === 'private-key' && !/PRIVATE KEY-----[\s\S]*[A-Za-z0-9+/=]{32}/.test(text)) return;
        if (kind !== undefined && kind !== 'password-in-url') add(expr.start + offset, `A ${kind}`, !isOften(kind));
        else if (kind !== undefined && !fake.test(line)) add(expr.start + offset, 'A password in a URL', false);
        else if (shapes.test(line) && !/x{6}|\.\.\./i.test(line))
          add(expr.start + offset, 'What looks like a key', false);
        else if (expr.end - expr.start > 60 || /\n/.test(text)) {
          if (tellingLine.test(line) && !fake.test(line.replace(/^[^:]*:/, '')))
            add(expr.start + offset, 'A password or key', false);
          for (const match of line.matchAll(labelled))
            if (
              password.test(match[2] ?? '') &&
              !fake.test(match[2] ?? '') &&
              /\d/.test(match[2] ?? '') === true &&
              !/^[\w.]+\(|\.\w+$|^https?:/.test(match[2] ?? '')
            )
              add(expr.start + offset, 'A password or key', false);
        }
        offset += line.length + 1;
      }
    },
  });
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
