import { dottedName, lastName } from '../ir/names.js';
import type { Module } from '../ir/nodes.js';
import { positionAt } from '../ir/positions.js';
import { walkModule } from '../ir/walk.js';
import type { AuthSignal } from './report.js';

/** Words in a function's name that show which credential it handles. */
const signalWords: Readonly<Record<AuthSignal['type'], ReadonlySet<string>>> = {
  cookie: new Set(['cookie', 'cookies']),
  header: new Set(['header', 'headers', 'authorization']),
  oauth_state: new Set(['oauth', 'oauth2', 'nonce']),
};
/** `state` counts as a signal only together with one of these words. */
const signInWords = new Set(['oauth', 'auth', 'authorize', 'csrf', 'login', 'verify', 'generate', 'validate', 'check']);

/** Splits a name into lower-case words at dots, underscores, dashes and capitals. */
export const splitWords = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    // `OAuthToken` becomes `O Auth Token` and `HTTPServer` becomes `HTTP Server`.
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean)
    .map((word) => word.toLowerCase());

/** The authentication signal in the name of a called function, if there is one. */
export function signalOf(name: string): AuthSignal['type'] | undefined {
  const words = new Set(splitWords(name));
  for (const type of ['cookie', 'header', 'oauth_state'] as const)
    for (const word of signalWords[type]) if (words.has(word)) return type;
  // `set_state` is UI code far more often than sign-in code.
  if (words.has('state') && [...signInWords].some((word) => words.has(word)) && !words.has('set')) return 'oauth_state';
  return undefined;
}

/** Bound of signals per file; more add nothing to the report. */
const maxSignals = 200;
/** Pre-check on the text of a deferred body. */
const mayContainSignal = (text: string): boolean =>
  /(?:cookie|header|authorization|oauth|nonce|state)[\w$]*\s*(?:\?\.\s*)?\(|\bnew\s+[\w$.]*(?:cookie|header|authorization|oauth|nonce|state)/i.test(
    text,
  );

/** Pre-check on a name; rejects most names without splitting them. */
const signalPattern = /cookie|header|authorization|oauth|nonce|state/i;

/** Finds calls whose names refer to cookies, headers or sign-in state. */
export function authSignals(module: Module): AuthSignal[] {
  const found: AuthSignal[] = [];
  walkModule(module, {
    mayContain: mayContainSignal,
    expr: (expr) => {
      if (expr.kind !== 'call' || found.length >= maxSignals || !signalPattern.test(lastName(expr.callee) ?? ''))
        return;
      const full = dottedName(expr.callee);
      const name = full?.split('.').at(-1);
      const type = name === undefined ? undefined : signalOf(name);
      if (name === undefined || !type) return;
      const { line } = positionAt(module, expr.start);
      // The line of the call is the evidence, cut so that minified files stay readable.
      const start = module.lineStarts[line - 1] ?? 0;
      const evidence =
        module.text
          .slice(start, start + 300)
          .split('\n')[0]
          ?.trim()
          .slice(0, 160) ?? '';
      found.push({ type, name, location: { file: module.path, start_line: line }, evidence });
    },
  });
  return found;
}
