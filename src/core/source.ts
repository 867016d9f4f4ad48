import type { Prompt, Resource, ResourceTemplate } from './prompt.js';
import type { Tool } from './tool.js';

/** Steps from a configured source to its tools, in their order. */
export type SourcePhase = 'install' | 'scan' | 'start' | 'read' | 'list';

export interface SourceHealth {
  readonly status: 'healthy' | 'degraded' | 'unhealthy';
  readonly detail?: string;
  /** The step that a source which has no list yet is in. */
  readonly phase?: SourcePhase;
  /** Time until the next attempt of a source that could not be listed. */
  readonly retryInSeconds?: number;
  /** How the processes of the source are isolated; absent if it starts none. */
  readonly sandbox?: string;
}

/** Runtime facts about a source, for operators. */
export interface SourceDetails {
  /** What the server declares about itself; a claim. */
  readonly server?: { readonly name: string; readonly version: string };
  /** Protocol revision. */
  readonly revision?: string;
  /** Open connections. */
  readonly connections: number;
  /** How often a connection was opened since the gateway started; each one of a local server starts a process. */
  readonly starts: number;
  /** Process ids of running servers. */
  readonly pids: readonly number[];
  /** The last lines of stderr, with secrets redacted. */
  readonly stderr?: string;
  readonly lastEnd?: { readonly at: string; readonly message: string };
  readonly phases: readonly SourcePhaseTime[];
}

/** One step of the start, and how long it took; without an end it is still running. */
export interface SourcePhaseTime {
  readonly phase: SourcePhase;
  readonly startedAt: string;
  readonly durationMs?: number;
}

/** Definition omitted while loading, and the reason; the rest is still served. */
export interface Withheld {
  readonly what: string;
  readonly why: string;
}

/** Resources and templates of one list. */
export interface ResourceLists {
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplate[];
}

/** Resources of a server at which each principal has a separate login: the names of one principal must not reach another. */
export interface PersonalResources {
  /** The lists of a principal, read with its own login; a promise while they are read, which never rejects. */
  of(principal: string): ResourceLists | Promise<ResourceLists>;
  /** The last lists, also outdated ones; undefined if there are none. */
  known(principal: string): ResourceLists | undefined;
}

/** Provider of tools. `list` may be called again after a change. */
export interface ToolSource {
  readonly id: string;
  /** What the source stands for: server, package or document, and how it is confined. Absent if it never serves for a successor. */
  readonly identity?: string;
  list(signal: AbortSignal): Promise<readonly Tool[]>;
  prompts?(signal: AbortSignal): Promise<readonly Prompt[]>;
  resources?(signal: AbortSignal): Promise<readonly Resource[]>;
  templates?(signal: AbortSignal): Promise<readonly ResourceTemplate[]>;
  /** Resources that only one principal may see, in addition to those above. */
  readonly personal?: PersonalResources;
  /** False while the first listing is still pending and `list` returned a substitute; absent counts as true. */
  isListed?(): boolean;
  /** Instructions of the server for the model, after admission; text of an untrusted server. */
  instructions?(): string | undefined;
  /** Definitions omitted from the last listing. */
  withheld?(): readonly Withheld[];
  onChange?(listener: () => void): () => void;
  health?(): SourceHealth;
  details?(): SourceDetails;
  /** Replaces the connections and processes; running calls end as they began. */
  restart?(): void;
  close?(): Promise<void>;
}
