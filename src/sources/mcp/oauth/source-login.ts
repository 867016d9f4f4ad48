import type { LoginContext, LoginOptions, SourceLogin } from '../../kind.js';
import type { McpConfig } from '../config.js';
import { authorizationEgress, clientOf } from '../remote.js';
import { grantFiles } from './grant-files.js';
import { beginLogin } from './login.js';
import { withoutSecret } from './tokens.js';

/** Starts the authorization code flow of a remote server; undefined if the entry does not use it. */
export async function sourceLogin(
  config: McpConfig,
  { id, principal, redirectUri }: LoginOptions,
  { env, grants, grantStore, settings }: LoginContext<'networks'>,
): Promise<SourceLogin | { readonly problem: string } | undefined> {
  if (config.url === undefined || config.oauth?.grant !== 'authorization_code') return undefined;
  const egress = authorizationEgress(config.url, config, settings.networks);
  const client = clientOf(config, env);
  const login = await beginLogin({
    egress,
    server: config.url,
    principal,
    redirectUri,
    scopes: config.oauth.scopes,
    ...(client && { client }),
    ...(config.oauth.issuer !== undefined && { issuer: config.oauth.issuer }),
  });
  if ('problem' in login) {
    // Nothing follows, so its connections are closed.
    await egress.close();
    return login;
  }
  return {
    url: login.url,
    async finish(parameters) {
      const grant = await login.finish(parameters);
      if ('problem' in grant) return grant;
      const store = grantStore ?? grantFiles(grants);
      await store.exclusively(id, async () =>
        store.write(id, [
          // A new login replaces the one of the same principal at the same issuer.
          ...(await store.read(id)).filter(
            (stored) => stored.principal !== grant.principal || stored.issuer !== grant.issuer,
          ),
          // A configured client secret is not copied into the grant file.
          client ? withoutSecret(grant) : grant,
        ]),
      );
      return { issuer: grant.issuer };
    },
    close: () => egress.close(),
  };
}
