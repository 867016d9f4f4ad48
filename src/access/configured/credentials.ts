import { join } from 'node:path';
import type { Config } from '../../config/schema.js';
import { hasSameRights } from '../../core/gateway.js';
import type { Principal } from '../../core/principal.js';
import { sha256 } from '../../lib/hash.js';
import type { Credential } from '../identity/bearer.js';
import type { ConfiguredToken } from '../identity/credentials.js';
import { credentials, owner, tokenPrincipal } from '../identity/credentials.js';
import { tokenVerifier } from '../identity/issuers.js';
import type { ConsoleSessions } from '../identity/console-sessions.js';
import type { KeyFile, KeyStore } from '../identity/keys.js';
import { keyFile, keyPrincipal } from '../identity/keys.js';
import type { OidcClient } from '../identity/oidc-flow.js';
import type { ProtectedResource } from '../identity/protected-resource.js';
import { protectedResource } from '../identity/protected-resource.js';
import { ownerToken } from '../identity/token-file.js';
import { configuredIssuers } from './issuers.js';
import { localUser } from './local-user.js';

/** Authentication of HTTP callers. */
export interface Credentials {
  readonly resource: ProtectedResource;
  /** Issuers at which people log in to the console. */
  readonly logins: readonly OidcClient[];
  /** Resolves an Authorization header to a principal. */
  authenticate(authorization: string | undefined): Credential | Promise<Credential>;
  /** Finds a principal by id, as in `explain --as`; undefined if unknown. */
  known(id: string): Principal | undefined;
  /** Principals that can be listed: the owner, the local user, tokens and keys. Callers of issuers are known only when they call. */
  all(): readonly Principal[];
  /** Whether the credential behind a principal still exists with the same rights; tokens of an issuer end by themselves. */
  isCurrent(principal: Principal): boolean;
  close(): Promise<void>;
}

/** Keys of a gateway that runs alone, in its state folder. */
export const keysIn = (folder: string): KeyFile => keyFile(join(folder, 'keys.json'));

/** Where credentials come from, besides the configuration. */
export interface CredentialSources {
  readonly keys: KeyStore;
  readonly sessions: ConsoleSessions;
  readonly env: NodeJS.ProcessEnv;
  /** File of the gateway's own token, if the configuration names none. */
  readonly tokenFile: string;
  /** Called with each token of that file, which must not appear in the log. */
  readonly onToken: (token: string) => void;
}

/** Credentials of a configuration: the owner's token, tokens, keys and issuers. */
export function credentialsOf(
  config: Config,
  { keys, sessions, env, tokenFile, onToken }: CredentialSources,
): Credentials {
  const { auth } = config;
  const tokens = auth.tokens.map(({ name, token, sha256: hash, roles, profile }): ConfiguredToken => {
    const resolved = token?.resolve(env);
    return {
      name,
      // An unset reference cannot happen after the load; the hash of the empty text matches no bearer token.
      sha256: hash ?? sha256(resolved?.ok === true ? resolved.value : ''),
      roles,
      ...(profile !== undefined && { profile }),
    };
  });
  const resource = protectedResource({
    ...(auth.resource !== undefined && { resource: auth.resource }),
    issuers: auth.issuers.map(({ issuer }) => issuer),
    scopes: auth.issuers.flatMap(({ scopes }) => scopes),
  });
  const issuers = configuredIssuers(config, env);
  // Built with the first request: over stdio no header is ever checked.
  let judge: ReturnType<typeof credentials> | undefined;
  return {
    resource,
    logins: issuers.logins,
    authenticate(authorization) {
      judge ??= credentials({
        ownerToken: ownerToken(auth.token_file ?? tokenFile, onToken),
        tokens,
        keys,
        challenge: resource.challenge,
        anonymous: !auth.required,
        sessions,
        // A session from an issuer that was removed from the configuration must end.
        hasIssuerOf: ({ kind, id }) => kind === 'jwt' && auth.issuers.some(({ name }) => id.startsWith(`jwt:${name}:`)),
        ...(issuers.all.length > 0 && { issuers: tokenVerifier(issuers.all) }),
      });
      return judge.authenticate(authorization);
    },
    isCurrent(principal) {
      // JWTs expire by themselves and cannot be looked up; anonymous callers have no credential to revoke.
      if (principal.kind === 'jwt' || principal.kind === 'anonymous') return true;
      const found = known(principal.id);
      return found !== undefined && hasSameRights({ principal }, { principal: found });
    },
    known,
    // The local user is a principal, too: over stdio it is the only one.
    all: () => [owner, localUser(config), ...tokens.map(tokenPrincipal), ...keys.list().map(keyPrincipal)],
    close: () => issuers.close(),
  };

  function known(id: string): Principal | undefined {
    if (id === owner.id) return owner;
    const local = localUser(config);
    if (id === local.id) return local;
    const [kind, name] = [id.slice(0, id.indexOf(':')), id.slice(id.indexOf(':') + 1)];
    if (kind === 'token') return tokens.filter((token) => token.name === name).map(tokenPrincipal)[0];
    return kind === 'key'
      ? keys
          .list()
          .filter((key) => key.name === name)
          .map(keyPrincipal)[0]
      : undefined;
  }
}
