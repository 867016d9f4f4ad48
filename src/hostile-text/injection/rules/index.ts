import type { Rule } from '../rule.js';
import { address } from './address.js';
import { carriers } from './carriers.js';
import { concealment } from './concealment.js';
import { errands } from './errands.js';
import { exfiltration } from './exfiltration.js';
import { languages } from './languages.js';
import { leakInDisguise } from './leak-in-disguise.js';
import { markers } from './markers.js';
import { override } from './override.js';
import { ownRules } from './own-rules.js';
import { persona } from './persona.js';
import { promptLeak } from './prompt-leak.js';
import { romance } from './romance.js';
import { settings } from './settings.js';
import { steering, toolAbuse } from './steering.js';

/** Every phrase rule, in the order in which findings at one place are listed. */
export const RULES: readonly Rule[] = [
  ...override,
  ...ownRules,
  ...carriers,
  ...persona,
  ...promptLeak,
  ...leakInDisguise,
  ...concealment,
  ...exfiltration,
  ...markers,
  ...steering,
  ...toolAbuse,
  ...address,
  ...errands,
  ...languages,
  ...romance,
  ...settings,
];
