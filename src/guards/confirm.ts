import type { Call } from '../core/call.js';
import type { Tool } from '../core/tool.js';

/** Why a call needs somebody's consent, and whose. */
export interface Demand {
  /** The rules that ask for it. */
  readonly rules: readonly string[];
  readonly reason: string;
  /** Whoever sits at the client, or an operator who is not the caller. */
  readonly by: 'caller' | 'operator';
}

/** Says which calls need consent. */
export interface Demands {
  demand(call: Call, tool: Tool): Demand | undefined;
}
