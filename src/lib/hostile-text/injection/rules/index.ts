import type { Rule } from '../rule.js';
import { address } from './address.js';
import { concealment } from './concealment.js';
import { errands } from './errands.js';
import { exfiltration } from './exfiltration.js';
import { languages } from './languages.js';
import { markers } from './markers.js';
import { override } from './override.js';
import { persona } from './persona.js';
import { promptLeak } from './prompt-leak.js';
import { settings } from './settings.js';
import { steering, toolAbuse } from './steering.js';

/** Every phrase rule, in the order in which findings at one place are listed. */
export const RULES: readonly Rule[] = [
  ...override,
  ...persona,
  ...promptLeak,
  ...concealment,
  ...exfiltration,
  ...markers,
  ...steering,
  ...toolAbuse,
  ...address,
  ...errands,
  ...languages,
  ...settings,
];
