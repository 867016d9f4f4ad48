import type { ToolSource } from '../core/source.js';
import { canonicalJson } from '../lib/json/canonical-json.js';
import { sha256 } from '../lib/hash.js';
import { SecretText } from '../lib/text/secret-text.js';
import { sectionSources, sourceKinds } from './index.js';
import { kindOf, type SectionSource, type SourceEntry, type SourceKind, type SourceServices } from './kind.js';
import { sourceSettings, type SourceSettings, type SourcesConfig } from './settings.js';

/** A source of a configuration before it is opened. */
export interface PlannedSource {
  readonly id: string;
  /** Hash of everything the source is built from: its entry with secrets resolved, and the settings its kind reads. Equal
   * fingerprints mean that an open source can be kept. */
  readonly fingerprint: string;
  open(): Promise<ToolSource>;
}

/** Kinds and sections; replaced by tests and by programs that embed the gateway. */
interface PlanOptions {
  readonly kinds?: readonly SourceKind[];
  readonly sections?: readonly SectionSource[];
}

/** All sources of a configuration, in the order in which they may claim tool names. */
export function planSources(
  config: SourcesConfig & { readonly sources: Readonly<Record<string, SourceEntry>> },
  services: SourceServices,
  { kinds = sourceKinds, sections = sectionSources }: PlanOptions = {},
): readonly PlannedSource[] {
  const settings = sourceSettings(config);
  const plan = (
    id: string,
    entry: SourceEntry | undefined,
    reads: readonly (keyof SourceSettings)[],
    open: (read: SourceSettings) => Promise<ToolSource>,
  ): PlannedSource => {
    // Only the declared groups: what a source cannot see cannot be missing from its fingerprint.
    const read = pick(settings, reads);
    return {
      id,
      fingerprint: sha256(canonicalJson(resolved({ id, entry, read }, services.env))),
      open: () => open(read),
    };
  };
  // Sections come first, so that built-in names win over those of configured sources.
  return [
    ...sections
      .filter((section) => section.isUsed(pick(settings, section.reads)))
      .map((section) =>
        plan(section.id, undefined, section.reads, (read) => section.open({ ...services, settings: read })),
      ),
    ...kinds.flatMap((kind) =>
      Object.entries(config.sources)
        .filter(([, entry]) => kindOf(entry, kinds) === kind && entry.enabled !== false)
        .map(([id, entry]) =>
          plan(id, entry, kind.reads, (read) => kind.open(id, entry, { ...services, settings: read })),
        ),
    ),
  ];
}

/** The named groups only: a kind that reads another group than it declares gets undefined in its first test. */
const pick = (settings: SourceSettings, reads: readonly (keyof SourceSettings)[]): SourceSettings =>
  // The kind's own type of `open` narrows the settings to the groups it declares.
  Object.fromEntries(reads.map((key) => [key, settings[key]])) as unknown as SourceSettings;

/** A copy in which secrets are replaced by their values: a changed template or variable gives another hash. */
function resolved(value: unknown, env: NodeJS.ProcessEnv): unknown {
  if (value instanceof SecretText) return value.resolve(env);
  if (Array.isArray(value)) return value.map((item) => resolved(item, env));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolved(item, env)]));
}
