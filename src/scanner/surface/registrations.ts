import type { Args, FunctionValue, Place, Value } from '../evaluate/values.js';
import type { Unresolved } from './report.js';

/** One thing that a server was seen to offer, before its parts are read. */
export interface Registration {
  readonly kind: 'tool' | 'resource' | 'template' | 'prompt';
  readonly server: Value | undefined;
  readonly name: Value | undefined;
  readonly title?: Value | undefined;
  readonly description?: Value | undefined;
  /** A zod shape or schema, a JSON Schema, or undefined when the handler's parameters are the schema. */
  readonly schema?: Value | undefined;
  readonly uri?: Value | undefined;
  readonly handler?: FunctionValue | undefined;
  readonly decorators: readonly string[];
  /** What registering gave back, by which it can be taken back. */
  readonly handle?: Value | undefined;
  readonly at: Place;
}

/** A function that answers a list request; it is run after everything else, when the lists it reads are filled. */
export interface Listing {
  readonly kind: 'tool' | 'resource' | 'template' | 'prompt';
  readonly server: Value | undefined;
  readonly handler: Value;
  readonly at: Place;
}

/** One server put inside another. */
export interface Mount {
  readonly parent: Value | undefined;
  readonly child: Value;
  readonly prefix: string | undefined;
}

/** A function that is told by name or address what is asked of it. */
export interface Dispatcher {
  readonly kind: 'tool' | 'resource' | 'prompt';
  readonly server: Value | undefined;
  readonly handler: FunctionValue;
  /** It gets the message as it came, not what an SDK made of it. */
  readonly isByHand?: boolean | undefined;
}

/** What a run over the project saw. */
export interface Findings {
  readonly registrations: Registration[];
  readonly listings: Listing[];
  readonly mounts: Mount[];
  /** Handlers that answer for many names or addresses at once: `tools/call`, `resources/read`, `prompts/get`. */
  readonly dispatchers: Dispatcher[];
  readonly unresolved: { readonly kind: Unresolved['kind']; readonly reason: string; readonly at: Place }[];
  /** Places of calls that register tools by their name. */
  readonly sites: Set<string>;
  readonly started: { readonly name: string; readonly args: Args; readonly at: Place }[];
}

export const noFindings = (): Findings => ({
  registrations: [],
  listings: [],
  mounts: [],
  dispatchers: [],
  unresolved: [],
  sites: new Set(),
  started: [],
});
