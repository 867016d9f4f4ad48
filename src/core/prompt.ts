import type { Call } from './call.js';
import type { JsonObject } from './json.js';
import type { Handler } from './tool.js';

/** Suggestions for a half-typed argument. */
export interface Completion {
  readonly values: readonly string[];
  readonly total?: number;
  readonly hasMore?: boolean;
}
/** Completes an argument for the caller. */
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
  /** Unknown fields of the definition, passed through unchanged. */
  readonly extra?: JsonObject;
  readonly complete?: Complete;
  /** Whether its text comes from an external system that also receives its arguments. */
  readonly openWorld?: boolean;
  readonly get: Handler;
}

/** Readable content with a URI; its handler gets `args.uri` and ends with `data: { contents }`. */
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
  /** Unknown fields of the definition, passed through unchanged. */
  readonly extra?: JsonObject;
  /** Whether its contents come from an external system. */
  readonly openWorld?: boolean;
  readonly read: Handler;
  /** Starts watching and returns an unsubscribe function; absent if the source does not report changes. */
  readonly watch?: (changed: () => void) => () => void;
}

/** Family of resources with an RFC 6570 URI template. */
export interface ResourceTemplate {
  readonly uriTemplate: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly annotations?: JsonObject;
  readonly source: string;
  readonly meta?: JsonObject;
  /** Unknown fields of the definition, passed through unchanged. */
  readonly extra?: JsonObject;
  readonly complete?: Complete;
  /** Whether the contents come from an external system that also receives the URIs. */
  readonly openWorld?: boolean;
  matches(uri: string): boolean;
  readonly read: Handler;
  readonly watch?: (uri: string, changed: () => void) => () => void;
}
