import { callerChosenHosts, largeResponses, openDomains, slowCalls } from './outbound.js';
import { exposedBind, strayReferences } from './listener.js';
import type { Lint } from './lint.js';
import { literalSecrets } from './literal-secrets.js';

export type { ConfigFinding as Finding } from './lint.js';

/** All lints of `toolgate check`; a new lint is one line here. */
export const lints: readonly Lint[] = [
  literalSecrets,
  openDomains,
  slowCalls,
  largeResponses,
  callerChosenHosts,
  exposedBind,
  strayReferences,
];
