import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Call } from '../core/call.js';
import { definitionHash } from '../core/definition.js';
import type { Tool } from '../core/tool.js';
import { canonicalJson } from '../lib/canonical-json.js';
import { sha256 } from '../lib/hash.js';
import type { Store } from '../state/store.js';

/** The exact call a consent is for: who, which tool as it is defined now, and which arguments. */
export interface Binding {
  readonly principal: string;
  readonly tool: string;
  readonly args: string;
  readonly definition: string;
}

export const bindingOf = (call: Call, tool: Tool): Binding => ({
  principal: call.principal.id,
  tool: call.tool,
  args: sha256(canonicalJson(call.args)),
  definition: definitionHash(tool),
});

/** One text for a binding, by which a ticket is found again. */
export const bindingKey = (binding: Binding): string => sha256(canonicalJson(binding));

/** What a sealed state says. */
export interface Sealed {
  readonly kind: 'ask' | 'carry';
  /** The state of the tool's own question, where one is carried. */
  readonly inner?: string;
}

/** What a state says, or why it counts for nothing. */
export type Unsealed =
  | ({ readonly ok: true; readonly nonce: string; readonly expiresAt: number } & Sealed)
  | { readonly ok: false; readonly why: 'forged' | 'other call' | 'expired' | 'used' };

/** Seals states so that only this gateway can have made them, for one call, for a while, for one use. */
export interface Seals {
  seal(sealed: Sealed, binding: Binding, expiresAt: number): string;
  open(state: string, binding: Binding): Unsealed;
  /** Uses a state up; false where it was used before. */
  use(nonce: string, expiresAt: number): boolean;
}

const ours = 'tg1.';
const space = 'consent';

/** Whether a state claims to be one of ours. */
export const isOurs = (state: string): boolean => state.startsWith(ours);

/** Seals with a key that the store keeps, so that a question asked before a restart can be answered after it. */
export function seals(
  store: Store,
  { prefix = ours, now = Date.now }: { readonly prefix?: string; readonly now?: () => number } = {},
): Seals {
  const key = keyOf(store);
  const macOf = (text: string): Buffer => createHmac('sha256', key).update(prefix).update(text).digest();

  return {
    seal({ kind, inner }, binding, expiresAt) {
      const body = Buffer.from(
        JSON.stringify([kind, randomBytes(16).toString('base64url'), bindingKey(binding), expiresAt, inner ?? null]),
      ).toString('base64url');
      return `${prefix}${body}.${macOf(body).toString('base64url')}`;
    },
    open(state, binding) {
      const [body = '', mac = ''] = state.slice(prefix.length).split('.', 2);
      const [given, expected] = [Buffer.from(mac, 'base64url'), macOf(body)];
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return { ok: false, why: 'forged' };
      // Only we can have made it, so it is what `seal` wrote.
      const [kind, nonce, bound, expiresAt, inner] = JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as [
        Sealed['kind'],
        string,
        string,
        number,
        string | null,
      ];
      if (bound !== bindingKey(binding)) return { ok: false, why: 'other call' };
      if (expiresAt <= now()) return { ok: false, why: 'expired' };
      if (store.get(space, `used:${nonce}`) !== undefined) return { ok: false, why: 'used' };
      return { ok: true, kind, nonce, expiresAt, ...(inner !== null && { inner }) };
    },
    use(nonce, expiresAt) {
      const name = `used:${nonce}`;
      // Nothing can come between these two lines: the store is ours alone and does not wait.
      if (store.get(space, name) !== undefined) return false;
      store.put(space, name, '1', { expiresAt });
      return true;
    },
  };
}

function keyOf(store: Store): Buffer {
  const kept = store.get(space, 'key');
  if (kept !== undefined) return Buffer.from(kept, 'base64url');
  const made = randomBytes(32);
  store.put(space, 'key', made.toString('base64url'));
  return made;
}
