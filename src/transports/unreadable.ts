import type { Door } from '../core/call.js';
import type { Principal } from '../core/principal.js';

/** Called with every message of an authenticated caller that cannot be decoded: it never becomes a call, but leaves a record. */
export type OnUnreadable = (refused: {
  readonly principal: Principal;
  readonly via: Door;
  readonly peer?: string;
  /** Tool of a REST call; unknown if the message itself would have named it. */
  readonly tool?: string;
  readonly message: string;
}) => void;
