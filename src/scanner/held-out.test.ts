import { describe, expect, test } from 'vitest';
import { aProject } from '../../test/support/scan.js';
import { heldOutPairs, heldOutSurfaces } from './fixtures/held-out/index.js';
import { severities } from './rules/rule.js';
import { scan } from './scan.js';

/** Lists that the scanner does not name yet: it must report a gap instead of nothing. */
const notNamedYet = new Set([
  'a YAML manifest of tools',
  'an OpenAPI document turned into tools',
  'a container of services',
]);
const none = severities.length;

/** Rank of the worst finding of these rules; 0 is critical. */
async function worst(language: string, rules: readonly string[], text: string): Promise<number> {
  const { findings } = await scan(await aProject({ [language === 'python' ? 'server.py' : 'server.ts']: text }), {
    heuristics: false,
  });
  const ranks = findings.filter(({ rule }) => rules.includes(rule)).map(({ severity }) => severities.indexOf(severity));
  return Math.min(none, ...ranks);
}

describe('a vulnerable server is rated worse than its fixed version', () => {
  test.each(heldOutPairs)('$ability: $name', async ({ language, rules, bad, good, isRatedOnly }) => {
    const [vulnerable, fixed] = [await worst(language, rules, bad), await worst(language, rules, good)];
    const bar = severities.indexOf(isRatedOnly ? 'low' : 'medium');
    expect(vulnerable).toBeLessThanOrEqual(bar);
    expect(fixed).toBeGreaterThan(isRatedOnly ? vulnerable : bar);
  });
});

describe('tools are named, or the gap is reported', () => {
  test.each(heldOutSurfaces)('$name', async ({ name, files, tools, isOpen }) => {
    const { surface, gaps } = await scan(await aProject(files), { heuristics: false });
    const isNoted = surface.unresolved.length + gaps.length > 0;
    if (notNamedYet.has(name) || isOpen) expect(isNoted).toBe(true);
    else expect(surface.tools.map((tool) => tool.name).toSorted()).toEqual([...tools].toSorted());
  });
});
