import type { Door } from './call.js';
import type { JsonObject } from './json.js';
import type { Principal } from './principal.js';

/** Access to approval tickets: calls that wait for an operator. */
export interface Approvals {
  mayAnswer(principal: Principal): boolean;
  list(): Promise<readonly JsonObject[]>;
  /** With `whole`, all of the arguments, however long. */
  get(id: string, whole: boolean): Promise<JsonObject | undefined>;
  answer(
    id: string,
    approve: boolean,
    by: Principal,
    how: { readonly reason?: string; readonly door: Door },
  ): Promise<
    | { readonly ok: true; readonly ticket: JsonObject }
    | { readonly ok: false; readonly why: 'unknown' | 'decided' | 'own' }
  >;
}
