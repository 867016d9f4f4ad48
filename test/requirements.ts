import { s0Commands } from './requirements/s0-commands.js';
import { s0Config } from './requirements/s0-config.js';
import { s0Observe } from './requirements/s0-observe.js';
import { s0 } from './requirements/s0.js';
import { s1 } from './requirements/s1.js';
import { s2 } from './requirements/s2.js';
import { s2Access } from './requirements/s2-access.js';
import { s2Upstream } from './requirements/s2-upstream.js';
import { s3 } from './requirements/s3.js';
import { s4 } from './requirements/s4.js';

/** One demand of a founding document, in our own words. */
export interface Requirement {
  readonly id: string;
  readonly says: string;
}

/** Every demand that some test must cite by its id. */
export const requirements: readonly Requirement[] = [
  ...s0,
  ...s0Commands,
  ...s0Config,
  ...s0Observe,
  ...s1,
  ...s2,
  ...s2Access,
  ...s2Upstream,
  ...s3,
  ...s4,
];
