import type { JsonObject } from '../core/json.js';

/** What OAuth clients are told about this gateway (RFC 9728), and how they are sent there (RFC 6750). */
export interface ProtectedResource {
  /** Undefined where no issuer is configured: then there is nothing to find. */
  readonly metadata?: JsonObject;
  challenge(error?: 'invalid_token' | 'insufficient_scope', scope?: string): string;
}

export interface ProtectedResourceOptions {
  /** The address of the MCP endpoint as clients know it. */
  readonly resource?: string;
  readonly issuers: readonly string[];
  readonly scopes: readonly string[];
}

const wellKnown = '/.well-known/oauth-protected-resource';

/** The path under which the metadata of an endpoint is found. */
export const metadataPath = (endpoint: string): string => (endpoint === '/' ? wellKnown : `${wellKnown}${endpoint}`);

export function protectedResource({ resource, issuers, scopes }: ProtectedResourceOptions): ProtectedResource {
  const url = resource === undefined || issuers.length === 0 ? undefined : new URL(resource);
  const place = url && `${url.origin}${metadataPath(url.pathname)}`;
  const needed = [...new Set(scopes)];
  return {
    ...(url && {
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
