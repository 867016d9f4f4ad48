import { isPlaceholder } from './secret-formats.js';
import { secretKindIn } from './secrets.js';

/** Names that announce a secret, in kebab, snake and camel case. */
const NAMED_LIKE_A_SECRET =
  /(?:secret|passw(?:or)?d|passphrase|pwd|credential|bearer|api[-_]?key|access[-_]?key|private[-_]?key|signing[-_]?key|encryption[-_]?key|auth(?:orization)?$|auth[-_]?(?:key|header|token)|(?:^|[-_.a-z])token$)/i;
/** `token_url` or `password_file` hold no secret, only a reference to one. */
const NAMES_SOMETHING_ABOUT_IT =
  /(?:url|uri|path|file|name|id|type|env|ttl|header|prefix|scheme|expir\w{0,5}|length|limit|min|max|hash|algorithm|policy|count|enabled)$/i;
/** Digests look random and are public. */
const DIGEST = /(?:hash|sha\d{0,3}|digest|checksum|integrity|fingerprint|pin|commit|etag|nonce|revision)/i;
/** An unbroken run of key characters; text with spaces is prose. */
const OPAQUE = /^[A-Za-z0-9+/_=-]{32,512}$/;

/** Why a configuration value is probably a literal secret. */
type LiteralSecret =
  | { readonly why: 'known-format'; readonly kind: string }
  | { readonly why: 'named-like-a-secret' }
  | { readonly why: 'high-entropy' };

/** Checks one configuration entry by format, name and entropy; references such as `${NAME}` and placeholders are not secrets. */
export function looksLikeLiteralSecret(key: string, value: string): LiteralSecret | undefined {
  const trimmed = value.trim();
  // The bound protects the patterns below: no real secret is that long.
  if (trimmed === '' || trimmed.length > 65_536 || isReference(trimmed)) return undefined;
  const kind = secretKindIn(trimmed);
  if (kind !== undefined) return { why: 'known-format', kind };
  // The scheme is no part of the secret, and would lower its entropy.
  const bare = trimmed.replace(/^(?:bearer|basic|token)\s+/i, '');
  if (isPlaceholder(bare) || isReference(bare) || /^(?:true|false|null|none|\d{1,7})$/i.test(bare)) return undefined;
  if (
    NAMED_LIKE_A_SECRET.test(key) &&
    !NAMES_SOMETHING_ABOUT_IT.test(key) &&
    bare.length >= 6 &&
    !/\s/.test(bare) &&
    // Two bits per character reject `aaaaaa` and keep short passwords.
    entropy(bare) >= 2
  ) {
    return { why: 'named-like-a-secret' };
  }
  // Digests are excluded by name, since their entropy equals that of a key.
  if (OPAQUE.test(bare) && !DIGEST.test(key) && isMixed(bare) && entropy(bare) >= 4.2) return { why: 'high-entropy' };
  return undefined;
}

const isReference = (value: string): boolean => /\$\{[^}]{1,256}\}|^(?:env|file|vault|op|secret):/i.test(value);

/** Identifiers and paths are long too, but they are words; random text mixes cases and digits throughout. */
const isMixed = (value: string): boolean =>
  /[a-z]/.test(value) &&
  /[A-Z]/.test(value) &&
  (value.match(/[0-9]/g)?.length ?? 0) >= 3 &&
  !/[A-Za-z]{14}/.test(value) &&
  !/[-_/][a-z]{4,}[-_/]/.test(value);

/** Shannon entropy of a text in bits per character. */
function entropy(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  const total = [...text].length;
  for (const count of counts.values()) bits -= (count / total) * Math.log2(count / total);
  return bits;
}
