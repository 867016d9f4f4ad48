import type { Call } from '../core/call.js';
import type { View } from '../core/gateway.js';
import type { Handler, Tool } from '../core/tool.js';
import type { Visibility, VisibleCatalogue } from '../registry/visible-lists.js';

/** The part of a configuration that decides about calls; immutable, a reload replaces it as a whole. */
export interface CallRuntime {
  /** Wraps a tool in the guard pipeline. */
  readonly wire: (tool: Tool) => Handler;
  readonly visibility: Visibility;
  /** Whether the rules would let this call run now; asked about calls whose effect lasts, such as subscriptions. */
  readonly permits?: (call: Call, tool: Tool) => boolean;
  /** Whether this view gets search tools instead of all definitions. */
  readonly searches?: (view: View) => boolean;
  /** Whether the credential behind the view still exists with the same rights. */
  readonly isCurrent?: (view: View) => boolean;
}

/** Runtime and catalogue that one request sees, to its end. */
export interface Snapshot extends VisibleCatalogue {
  readonly runtime: CallRuntime;
}
