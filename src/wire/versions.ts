/** Protocol revisions with an `initialize` handshake, newest first. */
export const legacyVersions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;
/** Protocol revisions in which every request stands alone. */
export const modernVersions = ['2026-07-28'] as const;

export type LegacyVersion = (typeof legacyVersions)[number];
export type ModernVersion = (typeof modernVersions)[number];
export type Version = LegacyVersion | ModernVersion;

/** What one revision can carry; what it lacks is rendered in older words or left out. */
export interface Features {
  readonly version: Version;
  readonly modern: boolean;
  readonly batches: boolean;
  readonly audio: boolean;
  readonly toolAnnotations: boolean;
  readonly progressMessage: boolean;
  readonly completions: boolean;
  /** `title`, `_meta` on definitions, `structuredContent`, `outputSchema`, `resource_link`. */
  readonly structured: boolean;
  /** Structured data of any JSON type, not only objects. */
  readonly anyData: boolean;
  readonly elicitation: boolean;
  readonly urlElicitation: boolean;
  /** The experimental tasks of 2025-11-25. */
  readonly coreTasks: boolean;
  /** Streams begin with an event id, so that a client may come back for the rest. */
  readonly primedStreams: boolean;
  /** Errors without an id leave it out instead of saying null. */
  readonly omitsUnknownId: boolean;
}

const oldest: Features = {
  version: '2024-11-05',
  modern: false,
  batches: true,
  audio: false,
  toolAnnotations: false,
  progressMessage: false,
  completions: false,
  structured: false,
  anyData: false,
  elicitation: false,
  urlElicitation: false,
  coreTasks: false,
  primedStreams: false,
  omitsUnknownId: false,
};
const march: Features = {
  ...oldest,
  version: '2025-03-26',
  audio: true,
  toolAnnotations: true,
  progressMessage: true,
  completions: true,
};
const june: Features = { ...march, version: '2025-06-18', batches: false, structured: true, elicitation: true };
const november: Features = {
  ...june,
  version: '2025-11-25',
  urlElicitation: true,
  coreTasks: true,
  primedStreams: true,
  omitsUnknownId: true,
};
const modern: Features = {
  ...november,
  version: '2026-07-28',
  modern: true,
  anyData: true,
  coreTasks: false,
  primedStreams: false,
};

const table: Readonly<Record<Version, Features>> = {
  '2024-11-05': oldest,
  '2025-03-26': march,
  '2025-06-18': june,
  '2025-11-25': november,
  '2026-07-28': modern,
};

export const featuresOf = (version: Version): Features => table[version];

export const isLegacyVersion = (version: unknown): version is LegacyVersion =>
  typeof version === 'string' && (legacyVersions as readonly string[]).includes(version);

export const isModernVersion = (version: unknown): version is ModernVersion =>
  typeof version === 'string' && (modernVersions as readonly string[]).includes(version);

/** The revision an `initialize` is answered with: the one asked for where we speak it, else our newest of that era. */
export const negotiated = (asked: unknown): LegacyVersion => (isLegacyVersion(asked) ? asked : legacyVersions[0]);
