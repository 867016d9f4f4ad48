import type { JsonObject } from '../../core/json.js';

/** Protected resource metadata for OAuth clients (RFC 9728), and the challenge that points to it (RFC 6750). */
export interface ProtectedResource {
  /** Undefined if no issuer is configured. */
  readonly metadata?: JsonObject;
  /** Path of the public URL; behind a proxy it may differ from the path that the gateway serves. */
  readonly path?: string;
  challenge(error?: 'invalid_token' | 'insufficient_scope', scope?: string): string;
}

interface ProtectedResourceOptions {
  /** Public URL of the MCP endpoint. */
  readonly resource?: string;
  readonly issuers: readonly string[];
  readonly scopes: readonly string[];
}

/** Prefix of metadata paths (RFC 9728, section 3.1). */
export const wellKnown = '/.well-known/oauth-protected-resource';

/** Well-known path of the metadata of an endpoint. */
export const metadataPath = (endpoint: string): string => (endpoint === '/' ? wellKnown : `${wellKnown}${endpoint}`);

export function protectedResource({ resource, issuers, scopes }: ProtectedResourceOptions): ProtectedResource {
  const url = resource === undefined || issuers.length === 0 ? undefined : new URL(resource);
  const place = url && `${url.origin}${metadataPath(url.pathname)}`;
  const needed = [...new Set(scopes)];
  return {
    ...(url && {
      path: url.pathname,
      metadata: {
        resource: resource ?? '',
        authorization_servers: [...issuers],
        bearer_methods_supported: ['header'],
        resource_name: 'Toolgate',
        ...(needed.length > 0 && { scopes_supported: needed }),
      },
    }),
    challenge(error, scope = needed.join(' ')) {
      const parts = [
        'realm="toolgate"',
        ...(error === undefined ? [] : [`error="${error}"`]),
        ...(place === undefined ? [] : [`resource_metadata="${place}"`]),
        ...(place === undefined || scope === '' ? [] : [`scope="${scope}"`]),
      ];
      return `Bearer ${parts.join(', ')}`;
    },
  };
}
