import { clean } from './clean.js';
import { detectInjection } from './injection/detect.js';
import type { TextKind } from './injection/detect.js';

/** A sign of prompt injection in a definition (tool poisoning). */
interface InjectionSign {
  /** Path in the definition, such as `inputSchema.properties.path.description`. */
  readonly where: string;
  readonly rule: string;
  readonly why: string;
  readonly excerpt: string;
}

// Bounds for one definition: an untrusted server could otherwise occupy the scan with a huge schema.
const maxSigns = 20;
const maxTexts = 2_000;
const maxDefinitionDepth = 32;

/**
 * Searches the definition of an untrusted tool, prompt or resource for prompt injection: names, titles, descriptions, schemas and
 * annotations. Invisible characters count as a sign, since honest definitions have no use for them.
 */
export function findInjectionSigns(
  definition: Readonly<Record<string, unknown>>,
  kind: TextKind = 'description',
): readonly InjectionSign[] {
  const found: InjectionSign[] = [];
  let texts = 0;
  const visit = (value: unknown, where: string, depth: number): void => {
    if (found.length >= maxSigns || depth > maxDefinitionDepth) return;
    if (typeof value === 'string') {
      // Counted over the whole definition: thousands of short descriptions cost as much as a long one.
      if (++texts > maxTexts) return;
      // Any removal is a sign, since even one hidden character can carry data (ASCII smuggling).
      const { removed } = clean(value);
      for (const [kindOfText, count] of Object.entries(removed))
        found.push({
          where,
          rule: `hidden-${kindOfText}`,
          why: 'Contains invisible characters',
          excerpt: `${count} of them`,
        });
      const verdict = detectInjection(value, kind);
      if (verdict.flagged)
        for (const { rule, why, excerpt } of verdict.findings.slice(0, 5)) found.push({ where, rule, why, excerpt });
      return;
    }
    if (typeof value !== 'object' || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      // The model sees property names as well.
      if (key.length > 40) visit(key, `${where}.(key)`, depth + 1);
      visit(inner, where === '' ? key : `${where}.${key}`, depth + 1);
    }
  };
  visit(definition, '', 0);
  return found.slice(0, maxSigns);
}
