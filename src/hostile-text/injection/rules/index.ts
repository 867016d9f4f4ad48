import type { Rule } from '../rule.js';
import { addressedToModel } from './addressed-to-model.js';
import { ignoreDocument } from './ignore-document.js';
import { concealment } from './concealment.js';
import { taskHijack } from './task-hijack.js';
import { exfiltration } from './exfiltration.js';
import { languages } from './languages.js';
import { rewordedPromptLeak } from './reworded-prompt-leak.js';
import { markers } from './markers.js';
import { override } from './override.js';
import { dropGuidelines } from './drop-guidelines.js';
import { persona } from './persona.js';
import { promptLeak } from './prompt-leak.js';
import { europeanLanguages } from './european-languages.js';
import { foreignPromptLeak } from './foreign-prompt-leak.js';
import { steering, toolAbuse } from './steering.js';

/** Every phrase rule, in the order in which findings at one place are listed. */
export const RULES: readonly Rule[] = [
  ...override,
  ...dropGuidelines,
  ...ignoreDocument,
  ...persona,
  ...promptLeak,
  ...rewordedPromptLeak,
  ...concealment,
  ...exfiltration,
  ...markers,
  ...steering,
  ...toolAbuse,
  ...addressedToModel,
  ...taskHijack,
  ...languages,
  ...europeanLanguages,
  ...foreignPromptLeak,
];
