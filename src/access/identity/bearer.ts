import type { Principal } from '../../core/principal.js';

/** Result of checking an Authorization header. */
export type Credential =
  | { readonly principal: Principal }
  | { readonly refused: 'missing' | 'invalid' | 'insufficient'; readonly message: string; readonly challenge: string };

/** Returns the token of a Bearer header, or undefined for anything else. */
export function bearer(authorization: string | undefined): string | undefined {
  return /^Bearer +([\w~+/.-]{1,8192}=*)$/i.exec(authorization ?? '')?.[1];
}
