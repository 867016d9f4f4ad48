import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Principal } from '../../core/principal.js';

/** One HTTP request that the listener let through: checked, authenticated, its body read within the cap. */
export interface Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly principal: Principal;
  readonly pathname: string;
  readonly query: URLSearchParams;
  /** Empty for methods without one. */
  readonly body: Buffer;
  /** Fires when the client hangs up. */
  readonly signal: AbortSignal;
}
