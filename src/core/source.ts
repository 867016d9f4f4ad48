import type { Prompt, Resource, ResourceTemplate } from './prompt.js';
import type { Tool } from './tool.js';

export interface SourceHealth {
  readonly status: 'healthy' | 'degraded' | 'unhealthy';
  readonly detail?: string;
}

/** Something left out while loading, and why; the rest goes on. */
export interface Withheld {
  readonly what: string;
  readonly why: string;
}

/** Where tools come from. `list` may be called again after a change. */
export interface ToolSource {
  readonly id: string;
  list(signal: AbortSignal): Promise<readonly Tool[]>;
  prompts?(signal: AbortSignal): Promise<readonly Prompt[]>;
  resources?(signal: AbortSignal): Promise<readonly Resource[]>;
  templates?(signal: AbortSignal): Promise<readonly ResourceTemplate[]>;
  /** What was left out of the last listing. */
  withheld?(): readonly Withheld[];
  onChange?(listener: () => void): () => void;
  health?(): SourceHealth;
  close?(): Promise<void>;
}
