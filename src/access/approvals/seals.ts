import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Call } from '../../core/call.js';
import { definitionHash } from '../../core/definition.js';
import type { Tool } from '../../core/tool.js';
import { canonicalJson } from '../../lib/json/canonical-json.js';
import { sha256 } from '../../lib/hash.js';
import type { Store } from '../../state/store.js';

/** The exact call an approval is for: principal, tool with its current definition, and arguments. */
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

/** Key of a binding, by which its ticket is found. */
export const bindingKey = (binding: Binding): string => sha256(canonicalJson(binding));

/** Content of a sealed state. */
interface SealedState {
  readonly kind: 'ask' | 'carry';
  /** State of the tool's own question, if it is wrapped. */
  readonly inner?: string;
}

/** Content of a state, or why it is not valid. */
type OpenSealResult =
  | ({ readonly ok: true; readonly nonce: string; readonly expiresAt: number } & SealedState)
  | { readonly ok: false; readonly why: 'forged' | 'other call' | 'expired' | 'used' };

/** Authenticates states with an HMAC, each bound to one call, with an expiry, for one use (replay protection). */
export interface Seals {
  seal(sealed: SealedState, binding: Binding, expiresAt: number): string;
  open(state: string, binding: Binding): Promise<OpenSealResult>;
  /** Consumes a state; false if it was already used. */
  use(nonce: string, expiresAt: number): Promise<boolean>;
}

const approvalPrefix = 'tg1.';
const sealSpace = 'consent';

/** Whether a state has the prefix of an approval; the HMAC is not checked. */
export const isApprovalState = (state: string): boolean => state.startsWith(approvalPrefix);

export interface SealOptions {
  readonly prefix?: string;
  /** Key shared by several replicas; by default one is kept in the store. */
  readonly key?: Buffer;
  /** Where used states are recorded; the store of the key by default. */
  readonly used?: Pick<Store, 'get' | 'add'>;
  readonly now?: () => number;
}

/** Seals with a key in the store, so that a form shown before a restart can be answered after it. */
export async function seals(
  store: Store,
  { prefix = approvalPrefix, key: given, used = store, now = Date.now }: SealOptions = {},
): Promise<Seals> {
  const key = given ?? (await loadSealingKey(store));
  const macOf = (text: string): Buffer => createHmac('sha256', key).update(prefix).update(text).digest();

  return {
    seal({ kind, inner }, binding, expiresAt) {
      const body = Buffer.from(
        JSON.stringify([kind, randomBytes(16).toString('base64url'), bindingKey(binding), expiresAt, inner ?? null]),
      ).toString('base64url');
      return `${prefix}${body}.${macOf(body).toString('base64url')}`;
    },
    async open(state, binding) {
      const [body = '', mac = ''] = state.slice(prefix.length).split('.', 2);
      const [given, expected] = [Buffer.from(mac, 'base64url'), macOf(body)];
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return { ok: false, why: 'forged' };
      // The HMAC is valid, so the content is what `seal` wrote.
      const [kind, nonce, bound, expiresAt, inner] = JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as [
        SealedState['kind'],
        string,
        string,
        number,
        string | null,
      ];
      if (bound !== bindingKey(binding)) return { ok: false, why: 'other call' };
      if (expiresAt <= now()) return { ok: false, why: 'expired' };
      if ((await used.get(sealSpace, `used:${nonce}`)) !== undefined) return { ok: false, why: 'used' };
      return { ok: true, kind, nonce, expiresAt, ...(inner !== null && { inner }) };
    },
    use: async (nonce, expiresAt) => used.add(sealSpace, `used:${nonce}`, '1', { expiresAt }),
  };
}

async function loadSealingKey(store: Store): Promise<Buffer> {
  await store.add(sealSpace, 'key', randomBytes(32).toString('base64url'));
  return Buffer.from((await store.get(sealSpace, 'key')) ?? '', 'base64url');
}
