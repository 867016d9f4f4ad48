import type { Call } from './call.js';
import type { JsonObject } from './json.js';
import type { Handler } from './tool.js';

/** Suggestions for a half-typed argument. */
export interface Completion {
  readonly values: readonly string[];
  readonly total?: number;
  readonly hasMore?: boolean;
}
/** Completes an argument for whoever makes the call. */
export type Complete = (
  argument: string,
  value: string,
  context: Readonly<Record<string, string>>,
  call: Call,
) => Promise<Completion>;

/** A prompt; its handler ends with `data: { description?, messages }`. */
export interface Prompt {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments?: readonly {
    readonly name: string;
    readonly title?: string;
    readonly description?: string;
    readonly required?: boolean;
  }[];
  readonly source: string;
  readonly meta?: JsonObject;
  /** Fields of its definition that nobody here knows. */
  readonly extra?: JsonObject;
  readonly complete?: Complete;
  /** Whether what it says comes from elsewhere, and what it is given goes there. */
  readonly openWorld?: boolean;
  readonly get: Handler;
}

/** Something readable by its address; its handler gets `args.uri` and ends with `data: { contents }`. */
export interface Resource {
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly size?: number;
  readonly annotations?: JsonObject;
  readonly source: string;
  readonly meta?: JsonObject;
  /** Fields of its definition that nobody here knows. */
  readonly extra?: JsonObject;
  /** Whether what it holds comes from elsewhere. */
  readonly openWorld?: boolean;
  readonly read: Handler;
  /** Starts watching and returns how to stop; absent where the source cannot tell of changes. */
  readonly watch?: (changed: () => void) => () => void;
}

/** A family of resources with an RFC 6570 address pattern. */
export interface ResourceTemplate {
  readonly uriTemplate: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly annotations?: JsonObject;
  readonly source: string;
  readonly meta?: JsonObject;
  /** Fields of its definition that nobody here knows. */
  readonly extra?: JsonObject;
  readonly complete?: Complete;
  /** Whether what they hold comes from elsewhere, and their addresses go there. */
  readonly openWorld?: boolean;
  matches(uri: string): boolean;
  readonly read: Handler;
  readonly watch?: (uri: string, changed: () => void) => () => void;
}
