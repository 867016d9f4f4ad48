/** Who calls, as proven by a credential or by owning the process; never taken from anything else in a request. */
export interface Principal {
  readonly id: string;
  readonly name: string;
  readonly kind: 'local' | 'token' | 'jwt' | 'anonymous';
  readonly roles: readonly string[];
  /** The only profile this principal may use; absent means any. */
  readonly profile?: string;
  readonly scopes?: readonly string[];
}

/** May this principal change the gateway's run-time state (enable, disable, reset)? */
export const isAdmin = (principal: Principal): boolean => principal.roles.includes('admin');
