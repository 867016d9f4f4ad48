import type { Egress } from '../../../net/egress-types.js';
import type { SecurityAlternative, SecurityScheme } from '../document/model.js';
import { tokenFetcher, type OAuthClient } from './oauth-tokens.js';

/** A secret, resolved on each use so that it can be rotated. */
export type Secret = () =>
  { readonly ok: true; readonly value: string } | { readonly ok: false; readonly unset: readonly string[] };

/** Operator's credential for a security scheme of the document. */
export type Credential = { readonly always?: boolean } & (
  | { readonly kind: 'bearer'; readonly token: Secret }
  | { readonly kind: 'basic'; readonly username: string; readonly password: Secret }
  | {
      readonly kind: 'apiKey';
      readonly value: Secret;
      readonly in?: 'header' | 'query' | 'cookie';
      readonly name?: string;
    }
  | ({ readonly kind: 'oauth2' } & OAuthClient)
);

/** Parts that credentials add to a request. */
interface CredentialParts {
  readonly headers: Readonly<Record<string, string>>;
  readonly query: readonly string[];
  readonly cookies: readonly string[];
  /** Headers to drop on a redirect to another origin. */
  readonly secretHeaders: readonly string[];
  /** Strings to redact from responses. */
  readonly secrets: readonly string[];
}

type CredentialResult =
  { readonly ok: true; readonly parts: CredentialParts } | { readonly ok: false; readonly message: string };

export interface Credentials {
  /** Credential parts for an operation's security requirements, for a request to this origin. */
  forRequest(
    security: readonly SecurityAlternative[] | undefined,
    origin: string,
    signal: AbortSignal,
  ): Promise<CredentialResult>;
  /** Drops cached tokens after the service rejected them. */
  dropTokens(): void;
}

const noParts: CredentialParts = { headers: {}, query: [], cookies: [], secretHeaders: [], secrets: [] };

/** Credentials bound to one origin, so that the document cannot send them elsewhere (confused deputy). */
export function credentials(options: {
  readonly origin: string | undefined;
  readonly byScheme: ReadonlyMap<string, Credential>;
  readonly schemes: ReadonlyMap<string, SecurityScheme>;
  readonly egress: () => Egress;
}): Credentials {
  const { byScheme, schemes, origin: boundOrigin } = options;
  const tokens = new Map(
    [...byScheme].flatMap(([name, credential]) =>
      credential.kind === 'oauth2' ? [[name, tokenFetcher(credential, options.egress)] as const] : [],
    ),
  );

  async function resolveCredential(
    name: string,
    credential: Credential,
    scopes: readonly string[],
    signal: AbortSignal,
  ): Promise<CredentialResult> {
    if (credential.kind === 'oauth2') {
      const token = await tokens.get(name)?.token(scopes, signal);
      return token?.ok ? bearerParts(token.value) : { ok: false, message: token?.message ?? 'no token' };
    }
    const secret = (
      credential.kind === 'bearer'
        ? credential.token
        : credential.kind === 'basic'
          ? credential.password
          : credential.value
    )();
    if (!secret.ok)
      return { ok: false, message: `the credential ${name} refers to ${secret.unset.join(', ')}, which is not set` };
    if (credential.kind === 'bearer') return bearerParts(secret.value);
    if (credential.kind === 'basic') {
      const pair = Buffer.from(`${credential.username}:${secret.value}`).toString('base64');
      return {
        ok: true,
        parts: { ...noParts, headers: { authorization: `Basic ${pair}` }, secrets: [secret.value, pair] },
      };
    }
    const scheme = schemes.get(name);
    const declared = scheme?.kind === 'apiKey' ? scheme : undefined;
    return apiKeyParts(
      credential.in ?? declared?.in ?? 'header',
      credential.name ?? declared?.name ?? 'x-api-key',
      secret.value,
    );
  }

  return {
    async forRequest(security, origin, signal) {
      const alternative = chooseAlternative(security, byScheme);
      if (alternative.length === 0) return { ok: true, parts: noParts };
      if (boundOrigin === undefined || origin !== boundOrigin)
        return { ok: false, message: 'credentials are bound to another origin' };
      let sum = noParts;
      for (const { scheme, scopes } of alternative) {
        const credential = byScheme.get(scheme);
        const resolved = credential && (await resolveCredential(scheme, credential, scopes, signal));
        if (!resolved?.ok) return resolved ?? { ok: false, message: `no credential for ${scheme}` };
        const { parts } = resolved;
        sum = {
          headers: { ...sum.headers, ...parts.headers },
          query: [...sum.query, ...parts.query],
          cookies: [...sum.cookies, ...parts.cookies],
          secretHeaders: [...sum.secretHeaders, ...Object.keys(parts.headers)],
          secrets: [...sum.secrets, ...parts.secrets],
        };
      }
      return { ok: true, parts: sum };
    },
    dropTokens() {
      for (const fetcher of tokens.values()) fetcher.clear();
    },
  };
}

/** The first alternative with all credentials configured, plus those with `always`; operations without security get no others. */
function chooseAlternative(
  security: readonly SecurityAlternative[] | undefined,
  byScheme: ReadonlyMap<string, Credential>,
): SecurityAlternative {
  const always = [...byScheme]
    .filter(([, credential]) => credential.always)
    .map(([scheme]) => ({ scheme, scopes: [] }));
  const satisfied =
    security?.find(
      (alternative) => alternative.length > 0 && alternative.every(({ scheme }) => byScheme.has(scheme)),
    ) ?? [];
  return [
    ...satisfied,
    ...always.filter(({ scheme }) => !satisfied.some((requirement) => requirement.scheme === scheme)),
  ];
}

const bearerParts = (token: string): CredentialResult => ({
  ok: true,
  parts: { ...noParts, headers: { authorization: `Bearer ${token}` }, secrets: [token] },
});

function apiKeyParts(place: 'header' | 'query' | 'cookie', name: string, value: string): CredentialResult {
  if (place === 'header')
    return { ok: true, parts: { ...noParts, headers: { [name.toLowerCase()]: value }, secrets: [value] } };
  const pair = `${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
  return {
    ok: true,
    parts: { ...noParts, ...(place === 'query' ? { query: [pair] } : { cookies: [pair] }), secrets: [value] },
  };
}
