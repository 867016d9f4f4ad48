import type { Egress } from '../../net/egress-types.js';
import type { Alternative, Scheme } from './model.js';
import { tokenFetcher, type OAuthClient } from './oauth.js';

/** A secret looked up at the moment it is needed. */
export type Secret = () =>
  { readonly ok: true; readonly value: string } | { readonly ok: false; readonly unset: readonly string[] };

/** A credential an operator gives for a scheme of the document. */
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

/** What credentials add to a request. */
export interface Added {
  readonly headers: Readonly<Record<string, string>>;
  readonly query: readonly string[];
  readonly cookies: readonly string[];
  /** Headers that must not follow a redirect elsewhere. */
  readonly secretHeaders: readonly string[];
  /** Texts that an answer must not give away. */
  readonly secrets: readonly string[];
}

export type AddedOrProblem =
  { readonly ok: true; readonly added: Added } | { readonly ok: false; readonly message: string };

export interface Credentials {
  /** What to add for an operation's requirements to a request to this origin. */
  for(security: readonly Alternative[] | undefined, origin: string, signal: AbortSignal): Promise<AddedOrProblem>;
  /** Forgets tokens that the service did not accept. */
  forget(): void;
}

const none: Added = { headers: {}, query: [], cookies: [], secretHeaders: [], secrets: [] };

/** Credentials bound to one origin: whatever the document says, no other ever sees them. */
export function credentials(options: {
  readonly origin: string | undefined;
  readonly byScheme: ReadonlyMap<string, Credential>;
  readonly schemes: ReadonlyMap<string, Scheme>;
  readonly egress: () => Egress;
}): Credentials {
  const { byScheme, schemes, origin: bound } = options;
  const tokens = new Map(
    [...byScheme].flatMap(([name, credential]) =>
      credential.kind === 'oauth2' ? [[name, tokenFetcher(credential, options.egress)] as const] : [],
    ),
  );

  async function one(
    name: string,
    credential: Credential,
    scopes: readonly string[],
    signal: AbortSignal,
  ): Promise<AddedOrProblem> {
    if (credential.kind === 'oauth2') {
      const token = await tokens.get(name)?.token(scopes, signal);
      return token?.ok ? bearer(token.value) : { ok: false, message: token?.message ?? 'there is no token' };
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
    if (credential.kind === 'bearer') return bearer(secret.value);
    if (credential.kind === 'basic') {
      const pair = Buffer.from(`${credential.username}:${secret.value}`).toString('base64');
      return {
        ok: true,
        added: { ...none, headers: { authorization: `Basic ${pair}` }, secrets: [secret.value, pair] },
      };
    }
    const scheme = schemes.get(name);
    const declared = scheme?.kind === 'apiKey' ? scheme : undefined;
    return apiKey(
      credential.in ?? declared?.in ?? 'header',
      credential.name ?? declared?.name ?? 'x-api-key',
      secret.value,
    );
  }

  return {
    async for(security, origin, signal) {
      const wanted = chosen(security, byScheme);
      if (wanted.length === 0) return { ok: true, added: none };
      if (bound === undefined || origin !== bound)
        return { ok: false, message: 'credentials are bound to another origin' };
      let sum = none;
      for (const { scheme, scopes } of wanted) {
        const credential = byScheme.get(scheme);
        const made = credential && (await one(scheme, credential, scopes, signal));
        if (!made?.ok) return made ?? { ok: false, message: `there is no credential for ${scheme}` };
        const { added } = made;
        sum = {
          headers: { ...sum.headers, ...added.headers },
          query: [...sum.query, ...added.query],
          cookies: [...sum.cookies, ...added.cookies],
          secretHeaders: [...sum.secretHeaders, ...Object.keys(added.headers)],
          secrets: [...sum.secrets, ...added.secrets],
        };
      }
      return { ok: true, added: sum };
    },
    forget() {
      for (const fetcher of tokens.values()) fetcher.forget();
    },
  };
}

/** The first alternative for which every credential is there, and those that are always sent; an operation that asks for none gets no other. */
function chosen(security: readonly Alternative[] | undefined, byScheme: ReadonlyMap<string, Credential>): Alternative {
  const always = [...byScheme]
    .filter(([, credential]) => credential.always)
    .map(([scheme]) => ({ scheme, scopes: [] }));
  const fitting =
    security?.find(
      (alternative) => alternative.length > 0 && alternative.every(({ scheme }) => byScheme.has(scheme)),
    ) ?? [];
  return [...fitting, ...always.filter(({ scheme }) => !fitting.some((each) => each.scheme === scheme))];
}

const bearer = (token: string): AddedOrProblem => ({
  ok: true,
  added: { ...none, headers: { authorization: `Bearer ${token}` }, secrets: [token] },
});

function apiKey(place: 'header' | 'query' | 'cookie', name: string, value: string): AddedOrProblem {
  if (place === 'header')
    return { ok: true, added: { ...none, headers: { [name.toLowerCase()]: value }, secrets: [value] } };
  const pair = `${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
  return {
    ok: true,
    added: { ...none, ...(place === 'query' ? { query: [pair] } : { cookies: [pair] }), secrets: [value] },
  };
}
