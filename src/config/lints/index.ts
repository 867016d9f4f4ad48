import { chosenHosts, largeResponses, openDomains, slowCalls } from './calls.js';
import { exposedBind, strayReferences } from './doors.js';
import type { Lint } from './finding.js';
import { literalSecrets } from './literal-secrets.js';

export type { Finding, Lint } from './finding.js';

/** Everything `toolgate check` looks for in a configuration that loads; a new lint is one line here. */
export const lints: readonly Lint[] = [
  literalSecrets,
  openDomains,
  slowCalls,
  largeResponses,
  chosenHosts,
  exposedBind,
  strayReferences,
];
