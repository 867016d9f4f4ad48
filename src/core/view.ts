import type { Call } from './call.js';
import type { Principal } from './principal.js';

/** Part of the catalogue a caller sees; lists vary only by principal and profile. */
export interface View {
  readonly principal: Principal;
  readonly profile?: string;
  /** Address of the client, for log and audit; of a legacy session the one that opened it. Decides nothing. */
  readonly peer?: string;
}

type Owned = Pick<Call, 'principal' | 'profile'>;

/** Owner key of state stored between requests; state of one profile is invisible under another. */
export const ownerOf = ({ principal, profile }: Owned): string =>
  profile === undefined ? principal.id : `${principal.id}\n${profile}`;

/**
 * Whether two views have the same principal, rights and profile: a session opened with more rights than its caller has now, or
 * under another profile, must not continue (session hijacking, stale privileges).
 */
export const hasSameRights = (a: View, b: View): boolean =>
  a.profile === b.profile && (a.principal === b.principal || rightsKey(a.principal) === rightsKey(b.principal));

/** Everything about a principal that decides what it may do. */
export const rightsKey = ({ id, kind, roles, profile, scopes }: Principal): string =>
  JSON.stringify([id, kind, roles, profile, scopes]);
