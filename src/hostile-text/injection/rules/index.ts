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
import { cancelledTask } from './cancelled-task.js';
import { agentNotice } from './agent-notice.js';
import { argumentExfiltration } from './argument-exfiltration.js';
import { coverStory } from './cover-story.js';
import { poisonedDescription } from './poisoned-description.js';
import { reframedPersona } from './reframed-persona.js';
import { moreLanguages } from './more-languages.js';
import { conversationLeak } from './conversation-leak.js';
import { generalSigns } from './general-signs.js';
import { steering, toolAbuse } from './steering.js';

/** Every phrase rule; findings at one position are listed in this order. */
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
  ...cancelledTask,
  ...agentNotice,
  ...argumentExfiltration,
  ...coverStory,
  ...poisonedDescription,
  ...reframedPersona,
  ...moreLanguages,
  ...conversationLeak,
  ...generalSigns,
];
