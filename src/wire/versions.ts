/** Legacy revisions: sessions opened by an `initialize` handshake; newest first. */
export const legacyVersions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;
/** Modern revisions: stateless, every request carries its own envelope. */
export const modernVersions = ['2026-07-28'] as const;

export type LegacyVersion = (typeof legacyVersions)[number];
export type ModernVersion = (typeof modernVersions)[number];
export type Version = LegacyVersion | ModernVersion;

/** Features of one protocol revision; results are downgraded to what the revision supports. */
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
  /** Streams begin with an event id, so that a client can reconnect and resume. */
  readonly primedStreams: boolean;
  /** Error responses to unreadable requests omit `id` instead of sending null. */
  readonly omitsUnknownId: boolean;
}

const revision20241105: Features = {
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
const revision20250326: Features = {
  ...revision20241105,
  version: '2025-03-26',
  audio: true,
  toolAnnotations: true,
  progressMessage: true,
  completions: true,
};
const revision20250618: Features = {
  ...revision20250326,
  version: '2025-06-18',
  batches: false,
  structured: true,
  elicitation: true,
};
const revision20251125: Features = {
  ...revision20250618,
  version: '2025-11-25',
  urlElicitation: true,
  coreTasks: true,
  primedStreams: true,
  omitsUnknownId: true,
};
const revision20260728: Features = {
  ...revision20251125,
  version: '2026-07-28',
  modern: true,
  anyData: true,
  coreTasks: false,
  primedStreams: false,
};

const featureTable: Readonly<Record<Version, Features>> = {
  '2024-11-05': revision20241105,
  '2025-03-26': revision20250326,
  '2025-06-18': revision20250618,
  '2025-11-25': revision20251125,
  '2026-07-28': revision20260728,
};

/** Features of a revision. */
export const featuresOf = (version: Version): Features => featureTable[version];

export const isLegacyVersion = (version: unknown): version is LegacyVersion =>
  typeof version === 'string' && (legacyVersions as readonly string[]).includes(version);

export const isModernVersion = (version: unknown): version is ModernVersion =>
  typeof version === 'string' && (modernVersions as readonly string[]).includes(version);

/** Revision used to answer `initialize`: the requested one if supported, else the newest legacy one. */
export const negotiateVersion = (requested: unknown): LegacyVersion =>
  isLegacyVersion(requested) ? requested : legacyVersions[0];
