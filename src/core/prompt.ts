import type { Soon } from '../lib/soon.js';
import type { Args, GuardedCall } from './call.js';
import type { Json, JsonObject } from './json.js';
import type { Done } from './outcome.js';
import type { Subscribe } from './subscription.js';
import type { Operation, Tool } from './tool.js';
import type { View } from './view.js';

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
  call: GuardedCall,
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
  readonly get: Operation;
}

/**
 * A resource that is another form of a tool: reading it is a call of that tool, so that its rules, limits, labels, switch and audit
 * apply, and the result is reshaped after the guards (a second name must not evade a rule about the first).
 */
export interface ToolProjection {
  readonly tool: string;
  /** The tool's arguments in a URI; undefined if the URI does not belong to this resource. */
  toArgs(uri: string): Args | undefined;
  /** One entry of `contents`, from the result that passed the guards. */
  toContents(uri: string, result: Done): Json;
  /** Interval at which the gateway calls the tool for a subscriber; absent if the resource cannot be watched. */
  readonly pollMs?: number;
}

/**
 * Results that are stored for their caller. Reading one is a call with the visibility and the labels of the tool that produced it: a
 * result must not outlive the right to it, nor lose its labels in another conversation.
 */
export interface StoredItems {
  /** The tool behind a URI; undefined if it is unknown, expired or of another caller. */
  originOf(uri: string, view: View): Soon<Tool | undefined>;
  readonly maxOutputBytes: number;
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
  readonly read: Operation | ToolProjection;
  /** Absent if the source does not report changes. */
  readonly subscribe?: Subscribe;
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
  readonly read: Operation | ToolProjection;
  /** Set for stored results, in which case `read` is an operation. */
  readonly stored?: StoredItems;
  readonly subscribe?: Subscribe;
}
