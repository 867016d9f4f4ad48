import type { Json } from '../../core/json.js';

/** A path with places for arguments, each held inside its own segment. */
export interface PathTemplate {
  readonly names: readonly string[];
  /** The path filled in, or which argument cannot stand there. */
  fill(
    valueOf: (name: string) => Json | undefined,
  ): { readonly ok: true; readonly path: string } | { readonly ok: false; readonly name: string; readonly why: string };
}

const place = /\{([^{}]+)\}/g;

/** Reads a path such as `/cities/{city}/weather`. */
export function pathTemplate(path: string): PathTemplate {
  const segments = path.split('/').slice(1);
  return {
    names: [...path.matchAll(place)].map(([, name]) => name ?? ''),
    fill(valueOf) {
      let filled = '';
      for (const segment of segments) {
        let bad: { readonly name: string; readonly why: string } | undefined;
        const written = segment.replaceAll(place, (_whole, name: string) => {
          const value = texts(valueOf(name));
          const why = value === undefined ? 'must be a text, a number or true or false' : misplaced(value);
          if (why !== undefined) bad ??= { name, why };
          return why === undefined && value !== undefined ? encodeURIComponent(value) : '';
        });
        if (bad !== undefined) return { ok: false, ...bad };
        filled += `/${written}`;
      }
      return { ok: true, path: filled };
    },
  };
}

const texts = (value: Json | undefined): string | undefined =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;

/** Why a value may not stand in a path. A lone dot is refused too, so two arguments side by side cannot make what neither is alone. */
function misplaced(value: string): string | undefined {
  if (value === '') return 'must not be empty';
  if (value.length > 2_048) return 'is longer than 2048 characters';
  if (/[\0-\x1f\x7f]|\p{Cs}/u.test(value)) return 'holds a character that is not allowed in a path';
  return climbs(value) ? 'must not hold . or .. as a path segment' : undefined;
}

/** Whether a text holds `.` or `..` as a segment of its own: servers decode once, some twice, and read what they get as a path again. */
export function climbs(value: string): boolean {
  let seen = value;
  for (let round = 0; round < 4; round += 1) {
    if (seen.split(/[/\\]/).some((part) => part === '.' || part === '..')) return true;
    const decoded = seen.replaceAll(/%([0-9a-f]{2})/gi, (_whole, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
    if (decoded === seen) return false;
    seen = decoded;
  }
  return false;
}
