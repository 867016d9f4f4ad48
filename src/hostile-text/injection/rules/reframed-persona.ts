import { literals, phrase } from '../phrase.js';
import type { Rule } from '../rule.js';

const TALK = /(?:detect|such as|e\.g\.|injection|attackers?|researchers?|vulnerab|jailbreak|evaluat|benchmark)/;

/** Personas and prompt leaks outside the well-known jailbreak phrases. */
export const reframedPersona: readonly Rule[] = [
  {
    id: 'persona-without-training',
    family: 'persona',
    why: 'It asks the reader to answer as a model without rules.',
    weight: 1,
    kinds: ['output'],
    cues: literals`
      as an ai|as a model|as an assistant|as a version|as a system|as an entity|as a bot|as a chatbot|an ai that|a model that|an assistant that|an entity that|a bot that|an ai who|an assistant who|an ai with|a model with|a version of your
    `,
    pattern: phrase`
      \b(?:respond|answer|act|reply|write|speak|behave|operate|function|continue|work|play|be|become|you are(?: now)?|imagine you are|pretend to be)\b[^.\n]{0,16}? (?:as )?an? (?:\w{1,12} )?(?:ai|model|assistant|system|bot|chatbot|entity|version of yourself)
        \b[^.\n]{0,50}?\b(?:never|without|no|not|free (?:of|from)|lacks?|unbound|any)\b[^.\n]{0,40}?\b(?:safety|limits?|limitations?|rules?|restrictions?|filters?|training|guidelines|ethics|boundaries|morals?|refus\w{1,4}|censorship|constraints?)\b
    `,
    unless: TALK,
  },
  {
    id: 'persona-privileged-mode',
    family: 'persona',
    why: 'It asks for a mode in which the rules of the reader do not hold.',
    weight: 0.8,
    kinds: ['output'],
    cues: literals`
      switch to |switch into|enter debug|enter dev|enter god|enter admin|enter root|enter maint|activate|you are now in|engage|maintenance mode|debug mode|debug persona|developer override|admin mode|root mode|god mode|unrestricted|privileged mode|override mode
    `,
    pattern: phrase`
      \b(?:switch (?:in)?to|enter|activate|engage|enable|you are now in|assume) (?:the |a |your )?(?:\w{1,12} )?(?:debug|developer|god|unrestricted|admin|root|raw|maintenance|privileged|diagnostic|override|uncensored|unfiltered)(?: \w{1,10})? (?:persona|mode|state|access|character)
        [^\n]{0,60}?\b(?:output|print|reveal|respond|answer|show|dump|list|ignore|all|without|every|internal)\b
      |\b(?:developer|admin(?:istrator)?|system|operator|root) override\b[^\n]{0,30}?[:;-] ?[^\n]{0,30}?\b(?:respond|answer|print|reveal|output|ignore|disable|unrestricted|you)\b
    `,
    unless: phrase`${TALK.source}|settings|build number|usb|bootloader|motor|server\.|npm |flag|adb|bios|router`,
  },
  {
    id: 'prompt-leak-what-precedes',
    family: 'prompt-leak',
    why: 'It asks for the text before the conversation.',
    weight: 0.9,
    kinds: ['output'],
    cues: literals`
      in your context|of your context|your context window|above this line|above this message|before this conversation|before this chat|before this message|before our conversation|before the conversation|your developer|your creator|your operator|your maker|hidden configuration|hidden setup|internal configuration|initial configuration
    `,
    pattern: phrase`
      \b(?:write|print|copy|repeat|output|show|give|summari[sz]e|list|translate|reveal|display|recite|quote|type|return|dump|start|begin|put|render)\b[^.\n]{0,60}?(?:
        \b(?:text|words?|content|contents|lines?|messages?|everything|all|tokens?|instructions?|characters)\b[^.\n]{0,40}?\b(?:before|above|preced\w{1,4}|prior to|at the (?:start|top|beginning) of)\b[^.\n]{0,40}?
          \b(?:your context|this line|this conversation|this chat|this message|our conversation|the conversation)
        |\b(?:guidance|instructions?|rules|brief|directions|setup|configuration|prompt|text|policies)\b (?:that |which )?your (?:developers?|creators?|operators?|makers?|owners?|company) (?:gave|give|told|provided|wrote|set|supplied|configured)
        |\byour (?:hidden|internal|initial|secret|original) (?:configuration|setup|prompt|instructions|context)
      )
      |\bwhat (?:were|was|are|have) you (?:been )?(?:told|instructed|given|asked)\b[^.\n]{0,20}?\bbefore (?:this|our|the) (?:conversation|chat|message)
    `,
    unless: TALK,
  },
];
