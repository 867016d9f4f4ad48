import { clean } from '../hostile-text/clean.js';
import { detectInjection } from '../hostile-text/injection/detect.js';
import type { TextKind } from '../hostile-text/injection/detect.js';
import type { Json, JsonObject } from './json.js';

/** A sign that a text is written for the model and not for its reader. */
export interface Suspect {
  /** Where it stands, such as `inputSchema.properties.path.description`. */
  readonly where: string;
  readonly rule: string;
  readonly why: string;
  readonly excerpt: string;
}

const mostSuspects = 20;
const mostTexts = 2_000;
const deepest = 32;

/**
 * Looks through what a stranger says about itself before it is let in: names, titles, descriptions, schemas, annotations of a tool, a
 * prompt or a resource. Hidden characters count as well, since nobody honest needs them there.
 */
export function suspects(definition: JsonObject, kind: TextKind = 'description'): readonly Suspect[] {
  const found: Suspect[] = [];
  let texts = 0;
  const look = (value: Json | undefined, where: string, depth: number): void => {
    if (found.length >= mostSuspects || depth > deepest) return;
    if (typeof value === 'string') {
      if (++texts > mostTexts) return;
      const { removed } = clean(value);
      for (const [kindOfText, count] of Object.entries(removed))
        found.push({
          where,
          rule: `hidden-${kindOfText}`,
          why: 'It holds characters that nobody sees',
          excerpt: `${count} of them`,
        });
      const verdict = detectInjection(value, kind);
      if (verdict.flagged)
        for (const { rule, why, excerpt } of verdict.findings.slice(0, 5)) found.push({ where, rule, why, excerpt });
      return;
    }
    if (typeof value !== 'object' || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      // Keys are read by the model too.
      if (key.length > 40) look(key, `${where}.(key)`, depth + 1);
      look(inner, where === '' ? key : `${where}.${key}`, depth + 1);
    }
  };
  look(definition, '', 0);
  return found.slice(0, mostSuspects);
}
