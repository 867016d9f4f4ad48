import { literals, part, phrase } from '../phrase.js';
import type { Rule } from '../rule.js';

const OTHERS = part`
  (?:(?:the |any |all |every )?other (?:\w{1,12} ){0,2}?(?:tools?|servers?|providers?|functions?|plugins?|integrations?)|(?:all|any|every) (?:tools?|servers?) (?:but|except|other than))
`;

/** Tool poisoning: descriptions that instruct beyond their own tool. */
export const poisonedDescription: readonly Rule[] = [
  {
    id: 'tool-abuse-against-others',
    family: 'tool-abuse',
    why: 'A tool speaks against other tools or servers.',
    weight: 0.9,
    kinds: ['description'],
    cues: literals`
      other tool|other server|other provider|other function|other search|other plugin|other integration|another tool|another server|any other|all other|every other|even if the user|supersede|precedence|takes priority
    `,
    pattern: phrase`
      \b(?:do not|don't|never|avoid|stop)(?: ever)? (?:us(?:e|ing)|call(?:ing)?|trust(?:ing)?|rely(?:ing)? on|consider(?:ing)?) ${OTHERS}
      |\b(?:ignore|disregard|override|discard|distrust) (?:[\w'-]{1,12} ){0,3}?(?:descriptions?|instructions?|tools?|results?|outputs?|rules?)(?: [\w'-]{1,12}){0,3}? ${OTHERS}
      |\b(?:supersedes?|overrides?|takes? (?:precedence|priority) over|replaces?|outranks?) (?:[\w'-]{1,12} ){0,3}?(?:instructions?|rules?|descriptions?|policies|prompts?|guidelines)? ?(?:of |from )?${OTHERS}
      |\balways (?:prefer|use|choose|pick|select|call) (?:this|the present) (?:tool|server|function)\b[^.\n]{0,60}?(?:even if|regardless|no matter|over |any other|other (?:tool|provider|server)|first\b|instead of (?:any|all|every))
      |\bthis (?:tool|server)(?:'s)? (?:\w{1,12} )?(?:instructions |rules )?(?:supersedes?|overrides?|takes? precedence over) (?:the )?(?:system|user|developer|all|any)
      |\b(?:must|should|has to|needs to) be (?:called|invoked|used|run) before (?:every|any|all|each)(?: of the)? (?:other )?(?:tool|call|request|action|answer|response)s?\b
    `,
    unless:
      /(?:detect|such as|legitimate|deprecated since|release note|changelog|in this (?:server|toolset)|of this (?:server|toolset|workspace))/,
  },
  {
    id: 'tool-abuse-side-errand',
    family: 'tool-abuse',
    why: 'A description orders a further act around other calls.',
    weight: 0.8,
    kinds: ['description'],
    cues: literals`
      before using|before calling|before answering|before every|before each|before any|prior to |after each|after every|after calling|after using|whenever |every time|each time|is used|is called|is available|is invoked|are used|are called
    `,
    pattern: phrase`
      \b(?:before (?:using|calling|answering|responding|every|each|any|you)|prior to (?:using|calling|answering|responding|every|each|any)|after (?:each|every|calling|using|any)|whenever|every time|each time)\b
        [^.\n]{0,60}?\b(?:read|fetch|load|cat|open|download|get|call|invoke|run|execute|send|log|set|change|replace|post)\b[^.\n]{0,40}?
        (?:https?:|~\/|\/etc\/|\.ssh|\.env|\.json\b|contents? of|editor|buffer|conversation|recipient|amount|account to|account =|payee|follow (?:the|its|all) (?:steps|instructions))
      |\bwhen(?:ever)? (?:the |an? |any )?[a-z_ ]{3,30}? (?:tool )?(?:is|are) (?:used|called|available|invoked)\b[^.\n]{0,30}?\b(?:change|set|replace|add|send|rewrite|redirect|append|modify)\b[^.\n]{0,50}?\b(?:to|with|as)\b
    `,
    unless: /(?:detect|such as|confirm with|ask the user|user confirmation|user approval|\bschema\b|pagination|cursor)/,
  },
  {
    id: 'steer-fixed-answer',
    family: 'steering',
    why: 'A description dictates what users are told.',
    weight: 0.8,
    kinds: ['description'],
    cues: literals`
      if the user|when the user|whenever the user|if users|when users|if a user|if asked|when asked
    `,
    pattern: phrase`
      \b(?:if|when(?:ever)?) (?:the |a |any )?users? (?:asks?|mentions?|questions?|wants to know|is asked)\b[^.\n]{0,60}?,? ?\b(?:always|never|only|just|simply) (?:answer|say|respond|reply|tell|claim|recommend|state|insist)\b
    `,
    unless: /(?:detect|such as|ask(?:s|ing)? for (?:clarification|confirmation)|in the language)/,
  },
  {
    id: 'marker-hidden-in-description',
    family: 'marker',
    why: 'A description holds a block that poses as hidden or as addressed to the model.',
    weight: 0.6,
    kinds: ['description'],
    cues: literals`
      <hidden|<important|<secret|<system|<internal|<note|[note|[system|[hidden|[internal|[instruction|[important|(note for|(note to|[for the|note for the assistant|note to the assistant|note for the model|note to the model|note for ai|note to ai|system:|important!!|system note|hidden note
    `,
    pattern: phrase`
      (?:<(?:hidden|important|secret|system|internal|note)[\w -]{0,16}>|[\[(](?:hidden |internal |system |important )?(?:note|instructions?|system|hidden|internal|important|message)(?: (?:for|to) (?:the )?(?:assistant|model|ai|llm|agent))?\s?[:\]]
        |\b(?:hidden |system |internal )?notes? (?:for|to) (?:the )?(?:assistant|model|ai|agents?)\b ?:|\bsystem: (?=this|you|the|ignore|always|all)|\bimportant!{2,4})
      [^\n]{0,160}?\b(?:model|assistant|ai|you|your|always|never|must|should|include|put|pass|send|read|ignore|supersede)
    `,
    unless: /(?:detect|such as|iso 8601|utc|format|pagina|markdown|html|xml)/,
  },
];
