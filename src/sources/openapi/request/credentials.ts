import type { Egress } from '../../../net/egress/egress-types.js';
import type { Operation, Parameter, SecurityAlternative, SecurityScheme } from '../document/model.js';
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
  /** Another component, such as a proxy, authenticates; nothing is sent. */
  | { readonly kind: 'external' }
);

/** Parts that credentials add to a request. */
export interface CredentialParts {
  readonly headers: Readonly<Record<string, string>>;
  readonly query: readonly string[];
  readonly cookies: readonly string[];
  /** Headers to drop on a redirect to another origin. */
  readonly secretHeaders: readonly string[];
  /** Strings to redact from responses. */
  readonly secrets: readonly string[];
}

/** Credential parts, or why there are none. */
type CredentialResult =
  { readonly ok: true; readonly parts: CredentialParts } | { readonly ok: false; readonly message: string };

/** The part of an operation that concerns credentials. */
type SecuredOperation = Pick<Operation, 'security' | 'parameters'>;

/** Credentials of one source. */
export interface Credentials {
  /** The credentials that an operation needs and the operator configured. */
  requirementsOf(operation: SecuredOperation): SecurityAlternative;
  /** Whether one of them fills a parameter, so that callers neither need nor may give it. */
  fills(requirements: SecurityAlternative, parameter: Pick<Parameter, 'in' | 'name'>): boolean;
  /** Why no configured or possible credential suffices; undefined if one may. */
  problemOf(operation: SecuredOperation): string | undefined;
  /** Credential parts for a request to this origin. */
  forRequest(requirements: SecurityAlternative, origin: string, signal: AbortSignal): Promise<CredentialResult>;
  /** Drops cached tokens after the service rejected them. */
  dropTokens(): void;
}

/** A scheme that is an API key. */
type Declared = SecurityScheme & { readonly kind: 'apiKey' };

/** Parts of a request without credentials. */
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
    if (credential.kind === 'external') return { ok: true, parts: noParts };
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
      // The encoded pair is a secret as well: a service may echo the header.
      const pair = Buffer.from(`${credential.username}:${secret.value}`).toString('base64');
      return {
        ok: true,
        parts: { ...noParts, headers: { authorization: `Basic ${pair}` }, secrets: [secret.value, pair] },
      };
    }
    const place = placeOf(name, credential);
    return apiKeyParts(place?.in ?? 'header', place?.name ?? 'x-api-key', secret.value);
  }

  /** Where a credential is sent; undefined if nothing is. */
  function placeOf(name: string, credential: Credential): Pick<Declared, 'in' | 'name'> | undefined {
    if (credential.kind === 'external') return undefined;
    if (credential.kind !== 'apiKey') return { in: 'header', name: 'authorization' };
    const scheme = schemes.get(name);
    const declared = scheme?.kind === 'apiKey' ? scheme : undefined;
    return { in: credential.in ?? declared?.in ?? 'header', name: credential.name ?? declared?.name ?? 'x-api-key' };
  }

  // Header names are compared without regard to case.
  const isAt = (scheme: string, parameter: Pick<Parameter, 'in' | 'name'>): boolean => {
    const credential = byScheme.get(scheme);
    const place = credential && placeOf(scheme, credential);
    if (place === undefined || place.in !== parameter.in) return false;
    return place.in === 'header'
      ? place.name.toLowerCase() === parameter.name.toLowerCase()
      : place.name === parameter.name;
  };

  /** Label of a scheme that the gateway cannot perform, whatever credential is configured for it. */
  const unsupportedLabel = (name: string): string | undefined => {
    const scheme = schemes.get(name);
    return scheme?.kind === 'unsupported' && byScheme.get(name)?.kind !== 'external' ? scheme.label : undefined;
  };

  return {
    requirementsOf({ security, parameters }) {
      const chosen = chooseAlternative(security, byScheme);
      // A declared parameter at the place of a configured credential asks for it, even where `security` does not.
      const declared = [...byScheme.keys()].filter(
        (scheme) =>
          !chosen.some((requirement) => requirement.scheme === scheme) &&
          parameters.some(
            (parameter) =>
              isAt(scheme, parameter) && !chosen.some((requirement) => isAt(requirement.scheme, parameter)),
          ),
      );
      return [...chosen, ...declared.map((scheme) => ({ scheme, scopes: [] }))];
    },
    fills: (requirements, parameter) => requirements.some(({ scheme }) => isAt(scheme, parameter)),
    problemOf({ security }) {
      if (security === undefined || security.length === 0) return undefined;
      // A credential that is always sent stands for whatever the document asks for.
      if ([...byScheme.values()].some(({ always }) => always)) return undefined;
      const labels = security.map((alternative) => alternative.flatMap(({ scheme }) => unsupportedLabel(scheme) ?? []));
      return labels.every((each) => each.length > 0) ? [...new Set(labels.flat())].join(', ') : undefined;
    },
    // External credentials are added by another component.
    async forRequest(requirements, origin, signal) {
      const alternative = requirements.filter(({ scheme }) => byScheme.get(scheme)?.kind !== 'external');
      if (alternative.length === 0) return { ok: true, parts: noParts };
      // The last check before a secret leaves: wrong origin, no credential.
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

/** A bearer token as a header. */
const bearerParts = (token: string): CredentialResult => ({
  ok: true,
  parts: { ...noParts, headers: { authorization: `Bearer ${token}` }, secrets: [token] },
});

/** An API key at its place. */
function apiKeyParts(place: 'header' | 'query' | 'cookie', name: string, value: string): CredentialResult {
  if (place === 'header')
    return { ok: true, parts: { ...noParts, headers: { [name.toLowerCase()]: value }, secrets: [value] } };
  const pair = `${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
  return {
    ok: true,
    parts: { ...noParts, ...(place === 'query' ? { query: [pair] } : { cookies: [pair] }), secrets: [value] },
  };
}
