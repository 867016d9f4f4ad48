import { randomBytes } from 'node:crypto';
import type { Call } from '../../../core/call.js';
import type { JsonObject } from '../../../core/json.js';
import { canonicalJson } from '../../../lib/json/canonical-json.js';
import { sha256 } from '../../../lib/hash.js';
import { keyRing, openText, sealText, type KeyRing } from '../../../lib/key-ring.js';

/** What a client carries for the gateway between a question and its answer. */
export interface CarriedState {
  /** Hash of principal, method and parameters. */
  readonly binding: string;
  readonly until: number;
  readonly upstream?: string;
  readonly pendingCall?: string;
  /** Upstream task that requested the input. */
  readonly task?: string | undefined;
  /** Replica where the call waits; any may continue it if absent. */
  readonly replica?: string | undefined;
}

/** The request that a state belongs to. */
type BoundRequest = { readonly method: string; readonly params: JsonObject };

/** Guards use the same field for their own states; the prefix marks ours. */
const statePrefix = 'up1.';
/** How long a question can be answered. */
const stateTtlMs = 600_000;

interface CarriedStatesOptions {
  /** Part of the binding: replicas seal the states of all sources with the same key. */
  readonly source: string;
  /** Keys that replicas share; by default one that is never stored, so that states do not survive a restart. */
  readonly keys?: KeyRing | undefined;
  readonly now?: () => number;
}

/** Seals and opens carried states: each is bound to one principal and one request, and expires. */
export function carriedStates({ source, keys = keyRing([randomBytes(32)]), now = Date.now }: CarriedStatesOptions) {
  const bindingFor = (call: Call, { method, params }: BoundRequest): string =>
    sha256(canonicalJson([source, call.principal.id, method, params]));
  return {
    bindingFor,
    seal: (call: Call, request: BoundRequest, state: Omit<CarriedState, 'binding' | 'until'>): string =>
      sealText(
        keys,
        statePrefix,
        JSON.stringify({
          ...state,
          binding: bindingFor(call, request),
          until: now() + stateTtlMs,
        } satisfies CarriedState),
      ),
    open(call: Call, request: BoundRequest): CarriedState | undefined | 'invalid' {
      const sealed = call.confirmation?.state;
      // Another prefix: the state of a guard, not ours.
      if (sealed === undefined || !sealed.startsWith(statePrefix)) return undefined;
      const text = openText(keys, statePrefix, sealed);
      if (text === undefined) return 'invalid';
      const state = JSON.parse(text.toString('utf8')) as CarriedState; // authenticated: only `seal` can have written it
      return state.binding === bindingFor(call, request) && state.until > now() ? state : 'invalid';
    },
  };
}
