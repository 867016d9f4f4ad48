import type { Args, FunctionValue, Place, Value } from '../evaluate/values/values.js';
import type { Unresolved } from './report.js';

/** One registered tool, resource, template or prompt, as abstract values. */
export interface Registration {
  readonly kind: 'tool' | 'resource' | 'template' | 'prompt';
  readonly server: Value | undefined;
  readonly name: Value | undefined;
  readonly title?: Value | undefined;
  readonly description?: Value | undefined;
  /** A zod shape or schema, a JSON Schema, or undefined when the handler's parameters are the schema. */
  readonly schema?: Value | undefined;
  readonly uri?: Value | undefined;
  /** What the server promises about the tool: `readOnlyHint` and its neighbours. */
  readonly annotations?: Value | undefined;
  readonly handler?: FunctionValue | undefined;
  /** The outermost decorator wrapper, which runs before the handler and may check its arguments. */
  readonly wrapper?: FunctionValue | undefined;
  /** Further functions that may handle it: of a server without an SDK, everything that receives messages. */
  readonly otherHandlers?: readonly FunctionValue[] | undefined;
  readonly decorators: readonly string[];
  /** The return value of the registration, through which it can be removed. */
  readonly handle?: Value | undefined;
  readonly at: Place;
}

/** A list request handler; evaluated last, when the lists it reads are filled. */
export interface Listing {
  readonly kind: 'tool' | 'resource' | 'template' | 'prompt';
  readonly server: Value | undefined;
  readonly handler: Value;
  readonly at: Place;
}

/** A server mounted in another one. */
export interface Mount {
  readonly parent: Value | undefined;
  readonly child: Value;
  readonly prefix: string | undefined;
}

/** A handler that receives the name or URI of the requested item. */
export interface Dispatcher {
  readonly kind: 'tool' | 'resource' | 'prompt';
  readonly server: Value | undefined;
  readonly handler: FunctionValue;
  /** It receives the raw message, not one parsed by an SDK. */
  readonly isByHand?: boolean | undefined;
}

/** Everything that an evaluation of the project discovered. */
export interface Discoveries {
  readonly registrations: Registration[];
  readonly listings: Listing[];
  readonly mounts: Mount[];
  /** Handlers that answer for many names or addresses at once: `tools/call`, `resources/read`, `prompts/get`. */
  readonly dispatchers: Dispatcher[];
  readonly unresolved: { readonly kind: Unresolved['kind']; readonly reason: string; readonly at: Place }[];
  /** Locations of calls whose method name indicates a registration. */
  readonly sites: Set<string>;
  readonly started: { readonly name: string; readonly args: Args; readonly at: Place }[];
}

export const emptyDiscoveries = (): Discoveries => ({
  registrations: [],
  listings: [],
  mounts: [],
  dispatchers: [],
  unresolved: [],
  sites: new Set(),
  started: [],
});
