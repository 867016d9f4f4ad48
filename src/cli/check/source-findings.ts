import type { ConfigFinding } from '../../config/lints/lint.js';
import type { Config } from '../../config/schema.js';
import { sourceKinds } from '../../sources/index.js';
import { kindOf } from '../../sources/kind.js';

/** Findings of the kinds about their entries; sends no requests and starts nothing. */
export async function sourceFindings(config: Config, base: string): Promise<readonly ConfigFinding[]> {
  const found = await Promise.all(
    Object.entries(config.sources).map(async ([id, entry]) => {
      const findings = (await kindOf(entry, sourceKinds).lints?.(id, entry, base)) ?? [];
      return findings.map(({ key, ...finding }) => ({ ...finding, path: `sources.${id}.${key}` }));
    }),
  );
  return found.flat();
}
