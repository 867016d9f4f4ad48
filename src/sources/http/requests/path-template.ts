import type { Json } from '../../../core/json.js';

/** A path with placeholders; each argument stays inside its segment (path traversal). */
interface PathTemplate {
  readonly names: readonly string[];
  /** Fills the path, or names the argument that is not allowed. */
  fill(
    valueOf: (name: string) => Json | undefined,
  ): { readonly ok: true; readonly path: string } | { readonly ok: false; readonly name: string; readonly why: string };
}

/** A placeholder such as `{city}`. */
const placeholder = /\{([^{}]+)\}/g;

/** Parses a path such as `/cities/{city}/weather`. */
export function pathTemplate(path: string): PathTemplate {
  const segments = path.split('/').slice(1);
  return {
    names: [...path.matchAll(placeholder)].map(([, name]) => name ?? ''),
    fill(valueOf) {
      let filled = '';
      for (const segment of segments) {
        let rejected: { readonly name: string; readonly why: string } | undefined;
        const encoded = segment.replaceAll(placeholder, (_whole, name: string) => {
          const value = toPathText(valueOf(name));
          const why = value === undefined ? 'must be a string, a number or a boolean' : segmentProblem(value);
          if (why !== undefined) rejected ??= { name, why };
          // Slashes are encoded, so that a value cannot add segments.
          return why === undefined && value !== undefined ? encodeURIComponent(value) : '';
        });
        if (rejected !== undefined) return { ok: false, ...rejected };
        filled += `/${encoded}`;
      }
      return { ok: true, path: filled };
    },
  };
}

/** Text of a scalar; objects and lists have no place in a path. */
const toPathText = (value: Json | undefined): string | undefined =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;

/** Why a value is not allowed in a path. A single dot is rejected too: two adjacent arguments could form `..`. */
function segmentProblem(value: string): string | undefined {
  if (value === '') return 'must not be empty';
  if (value.length > 2_048) return 'is longer than 2048 characters';
  if (/[\0-\x1f\x7f]|\p{Cs}/u.test(value)) return 'contains a character that is not allowed in a path';
  return hasDotSegment(value) ? 'must not contain . or .. as a path segment' : undefined;
}

/** Whether a text contains `.` or `..` as a path segment, also percent-encoded: some servers decode twice. */
export function hasDotSegment(value: string): boolean {
  let current = value;
  // Several rounds, because proxies and servers may each decode once.
  for (let round = 0; round < 4; round += 1) {
    if (current.split(/[/\\]/).some((part) => part === '.' || part === '..')) return true;
    const decoded = current.replaceAll(/%([0-9a-f]{2})/gi, (_whole, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
    if (decoded === current) return false;
    current = decoded;
  }
  return false;
}
