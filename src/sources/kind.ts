import type { GrantStore } from './mcp/oauth/tokens.js';
import type { z } from 'zod';
import type { JsonObject } from '../core/json.js';
import type { ToolSource } from '../core/source.js';
import type { Processes } from '../processes/processes.js';
import type { CommandDefinition } from './command/definition.js';
import type { OriginBreakers } from './http/breakers.js';
import type { UpstreamAdmission } from './mcp/admission.js';
import type { SourceSettings } from './settings.js';
import type { SourcePeers } from './source-peers.js';

/** One entry of `sources`. Opaque outside of its kind: other code reads it through the kind, so no file needs to know all kinds. */
export interface SourceEntry {
  readonly kind: string;
  /** Absent counts as true. */
  readonly enabled?: boolean;
}

/** What the gateway lends to its sources; the same for the life of the process. */
export interface SourceServices {
  /** Folder that relative paths refer to. */
  readonly base: string;
  /** Environment for secrets, read when they are needed. */
  readonly env: NodeJS.ProcessEnv;
  readonly processes: Processes;
  /** Folder for installed packages. */
  readonly packages: string;
  /** Folder for OAuth tokens of remote servers. */
  readonly grants: string;
  /** Where OAuth tokens are instead, if several replicas share them. */
  readonly grantStore?: GrantStore;
  /** Other replicas of this gateway; absent if it is a single one. */
  readonly peers?: SourcePeers;
  /** Name and version that upstream servers get to see. */
  readonly client: { readonly name: string; readonly version: string };
  /** Circuit breakers by origin; they survive reloads. */
  readonly origins: OriginBreakers;
  /** Decides about upstream servers and their definitions; absent where nothing is started. */
  readonly admission?: UpstreamAdmission;
  /** Commands that the embedding program defines. */
  readonly commands?: readonly CommandDefinition[];
  onEvent(event: string, fields: JsonObject): void;
}

/** Services, and the settings that the kind reads. */
export type SourceContext<Reads extends keyof SourceSettings = keyof SourceSettings> = SourceServices & {
  readonly settings: Pick<SourceSettings, Reads>;
};

/** What an entry refers to elsewhere in the configuration or on the network; each is checked when the configuration loads. */
interface References {
  /** Names of network policies by key of the entry. */
  readonly policies?: Readonly<Record<string, string | undefined>>;
  /** Allow-lists of hosts by key of the entry. */
  readonly domains?: Readonly<Record<string, readonly string[] | undefined>>;
  /** Key that, in a cluster, needs replicas that reach one another. */
  readonly peers?: string;
  /** Environment variables that the entry passes on, besides those in its secrets. */
  readonly variables?: readonly string[];
  /** URLs by key of the entry, with the allow-list that their host must be in; the shared one by default. */
  readonly addresses?: Readonly<Record<string, { readonly url: string; readonly domains?: readonly string[] }>>;
}

/** A finding of `toolgate check` about one key of an entry. */
export interface EntryFinding {
  readonly rule: string;
  readonly severity: 'error' | 'warning';
  readonly key: string;
  readonly message: string;
  readonly hint: string;
}

/** A login that a person completes in a browser. */
export interface SourceLogin {
  /** URL to open. */
  readonly url: string;
  /** Exchanges the parameters of the redirect for a stored token; returns the issuer, or the problem. */
  finish(parameters: URLSearchParams): Promise<{ readonly issuer: string } | { readonly problem: string }>;
  close(): Promise<void>;
}

export interface LoginOptions {
  readonly id: string;
  readonly principal: string;
  readonly redirectUri: string;
}

/** The part of the context that a login needs; nothing is started. */
export type LoginContext<Reads extends keyof SourceSettings = keyof SourceSettings> = Pick<
  SourceContext<Reads>,
  'env' | 'grants' | 'grantStore' | 'settings'
>;

/**
 * A kind of source: all properties of entries with this `kind`, as one plain object. `config` and `open` load
 * their modules on demand, so that unused kinds cost nothing at start.
 */
export interface SourceKind<
  Entry extends SourceEntry = SourceEntry,
  Reads extends keyof SourceSettings = keyof SourceSettings,
> {
  readonly kind: Entry['kind'];
  /** Schema of an entry: a strict object with the literal `kind`. */
  config(): Promise<z.ZodObject>;
  /** Settings outside of the entry that `open` reads; no others are passed to it. */
  readonly reads: readonly Reads[];
  /**
   * Who describes the tools. `operator`: the configuration, so hints and closed-world flags count. `untrusted`: the source itself;
   * a malicious one would declare itself harmless.
   */
  readonly describedBy: 'operator' | 'untrusted';
  /** Prefix of the names of its tools, '' for none. */
  prefix(id: string, entry: Entry): string;
  /** Builds the source; connects to nothing before the first listing. */
  open(id: string, entry: Entry, context: SourceContext<Reads>): Promise<ToolSource>;
  /** Whether its tools can be listed without a process and without a request, as `toolgate check` does. */
  listsOffline(entry: Entry): boolean;
  references?(entry: Entry): References;
  /** Findings of `toolgate check`; sends no requests and starts no process. */
  lints?(id: string, entry: Entry, base: string): Promise<readonly EntryFinding[]>;
  /** Starts a login in a browser; undefined if the entry needs none. */
  login?(
    entry: Entry,
    options: LoginOptions,
    context: LoginContext<Reads>,
  ): Promise<SourceLogin | { readonly problem: string } | undefined>;
}

/** A source that one section configures, such as `commands`; there is one of each. */
export interface SectionSource<Reads extends keyof SourceSettings = keyof SourceSettings> {
  readonly id: string;
  readonly reads: readonly Reads[];
  isUsed(settings: Pick<SourceSettings, Reads>): boolean;
  open(context: SourceContext<Reads>): Promise<ToolSource>;
}

/** The kind of an entry. Every entry was parsed by the schema of one of the kinds, so a missing one is a bug. */
export function kindOf(entry: SourceEntry, kinds: readonly SourceKind[]): SourceKind {
  const found = kinds.find(({ kind }) => kind === entry.kind);
  if (found === undefined) throw new Error(`unknown kind of source: ${entry.kind}`);
  return found;
}

/** Prefix of the names of a source; '' if it is not configured or has none. */
export const namePrefix = (
  id: string,
  entries: Readonly<Record<string, SourceEntry>>,
  kinds: readonly SourceKind[],
): string => {
  const entry = Object.hasOwn(entries, id) ? entries[id] : undefined;
  return entry === undefined ? '' : kindOf(entry, kinds).prefix(id, entry);
};

/** Whether the tools of a source are described by the source itself, so that its hints and flags must not lower a decision. */
export const isSelfDescribed = (
  id: string,
  entries: Readonly<Record<string, SourceEntry>>,
  kinds: readonly SourceKind[],
): boolean => {
  const entry = Object.hasOwn(entries, id) ? entries[id] : undefined;
  return entry !== undefined && kindOf(entry, kinds).describedBy === 'untrusted';
};
