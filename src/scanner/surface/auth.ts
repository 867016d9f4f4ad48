import { dottedName, lastName } from '../ir/names.js';
import type { Module } from '../ir/nodes.js';
import { positionAt } from '../ir/positions.js';
import { walkModule } from '../ir/walk.js';
import type { AuthSignal } from './report.js';

const words: Readonly<Record<AuthSignal['type'], ReadonlySet<string>>> = {
  cookie: new Set(['cookie', 'cookies']),
  header: new Set(['header', 'headers', 'authorization']),
  oauth_state: new Set(['oauth', 'oauth2', 'nonce']),
};
/** `state` alone says nothing: only a name that also speaks of signing in counts. */
const stateful = new Set(['oauth', 'auth', 'authorize', 'csrf', 'login', 'verify', 'generate', 'validate', 'check']);

/** A name cut into lower-case words at dots, underscores, dashes and capitals. */
export const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean)
    .map((word) => word.toLowerCase());

/** What a called name says about authentication, word by word. */
export function signalOf(name: string): AuthSignal['type'] | undefined {
  const said = new Set(wordsOf(name));
  for (const type of ['cookie', 'header', 'oauth_state'] as const)
    for (const word of words[type]) if (said.has(word)) return type;
  if (said.has('state') && [...stateful].some((word) => said.has(word)) && !said.has('set')) return 'oauth_state';
  return undefined;
}

const maxSignals = 200;
/** Whether any call in a text may be one of these. */
const mayHold = (text: string): boolean =>
  /(?:cookie|header|authorization|oauth|nonce|state)[\w$]*\s*(?:\?\.\s*)?\(|\bnew\s+[\w$.]*(?:cookie|header|authorization|oauth|nonce|state)/i.test(
    text,
  );

/** One of the words is in every name that says something: most names are told by this alone. */
const saying = /cookie|header|authorization|oauth|nonce|state/i;

/** Calls whose names speak of cookies, headers or sign-in state. */
export function authSignals(module: Module): AuthSignal[] {
  const found: AuthSignal[] = [];
  walkModule(module, {
    mayHold,
    expr: (expr) => {
      if (expr.kind !== 'call' || found.length >= maxSignals || !saying.test(lastName(expr.callee) ?? '')) return;
      const full = dottedName(expr.callee);
      const name = full?.split('.').at(-1);
      const type = name === undefined ? undefined : signalOf(name);
      if (name === undefined || !type) return;
      const { line } = positionAt(module, expr.start);
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
