/** Authenticated caller, from a credential or process ownership; never from other request data (spoofing). */
export interface Principal {
  readonly id: string;
  readonly name: string;
  readonly kind: 'local' | 'token' | 'jwt' | 'anonymous';
  readonly roles: readonly string[];
  /** The only profile this principal may use; absent means any. */
  readonly profile?: string;
  readonly scopes?: readonly string[];
}

/** Whether this principal may change run-time state (enable, disable, reset). */
export const isAdmin = (principal: Principal): boolean => principal.roles.includes('admin');
