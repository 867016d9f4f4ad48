import type { Prompt, Resource, ResourceTemplate } from './prompt.js';
import type { Tool } from './tool.js';

export interface SourceHealth {
  readonly status: 'healthy' | 'degraded' | 'unhealthy';
  readonly detail?: string;
  /** How the processes of the source are isolated; absent if it starts none. */
  readonly sandbox?: string;
}

/** Definition omitted while loading, and the reason; the rest is still served. */
export interface Withheld {
  readonly what: string;
  readonly why: string;
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
  /** False while the first listing is still pending and `list` returned a substitute; absent counts as true. */
  isListed?(): boolean;
  /** Definitions omitted from the last listing. */
  withheld?(): readonly Withheld[];
  onChange?(listener: () => void): () => void;
  health?(): SourceHealth;
  close?(): Promise<void>;
}
