import { literals, part, phrase } from '../phrase.js';
import type { Rule } from '../rule.js';

/** Nouns for the document that carries an instruction. */
const CARRIER = part`
  (?:web ?pages?|web ?sites?|pages?|documents?|texts?|articles?|papers?|resum(?:e|é)s?|cvs?|e-?mails?|letters?|passages?|paragraphs?
    |functions?|code|script|program|tables?|data|inputs?|files?|contents?|contexts?|reports?|reviews?|transcripts?|notes?|stor(?:y|ies)
    |indicators?|information|info|results?|quer(?:y|ies)|questions?|tasks?|summar(?:y|ies)|statements?|instructions?|conversations?)
`;
const SAY = part`
  (?:say|state|output|print|respond|reply|write|tell|answer|return|indicate|claim|report|conclude|declare|announce|reveal|repeat
    |give|show|send|include|recommend|just|only|instead|simply|do|act|pretend|focus|follow|execute|consider|generate|provide|display)
`;
const TALK = phrase`
  (?:
    detect|such as|e\.g\.|for example|phrases? like|injection|attackers?|researchers?|you (?:can|may|could|might)|safely|if you|parser
    |compiler|linter|warning|errors?\b|option|--|parameter|argument|returns? |the (?:function|method|tool|script|server) (?:will|does)
    |don't|do not|never|must not
  )
`;

/** Instructions to ignore the surrounding document and to say something else. */
export const ignoreDocument: readonly Rule[] = [
  {
    id: 'carrier-left',
    family: 'override',
    why: 'It tells the reader to leave the text it was given and to say or do something else.',
    weight: 1,
    kinds: ['output'],
    cues: literals`
      ignore|disregard|forget|overlook
    `,
    leads: 0,
    pattern: phrase`
      \b(?:ignore|disregard|forget(?: about)?|overlook|skip)(?: (?:the|this|that|all|any|these|those|every|everything in|above|following|whole|entire|rest|of
        |provided|given|given|previous|other|negative|second|part)){0,5} ${CARRIER}(?: (?:above|below|provided|given|in the text|before|so far|and below)){0,3}
        (?:,|;|\.|:| -)? (?:and |but |then |now |please |instead ){0,3}${SAY}\b
    `,
    unless: TALK,
  },
  {
    id: 'carrier-first-of-all',
    family: 'override',
    why: 'It claims to come before whatever the user or the system says.',
    weight: 1,
    kinds: ['output'],
    cues: literals`
      priority over|precedence over|more important than|overrides any|overrides all|overrides every|override any
      |regardless of any previous|regardless of previous|regardless of what|no matter what
    `,
    pattern: phrase`
      \b(?:takes?|has|have|having|with|gets?|is given|are given) (?:absolute |highest |full |top )?(?:priority|precedence) over (?:anything|everything|all|any|whatever|every|what)\b[^.\n]{0,40}?
        \b(?:user|said|says|told|above|before|else|instructions?|system|previous|prior|other|prompts?)\b
      |\b(?:instructions?|message|order|request|directive|task)s? (?:below |above |here |that follows? )?(?:is|are) (?:far |much )?more important than (?:anything|everything|all|any|whatever|what|your)\b
      |\bregardless of (?:any |all |the |your )?(?:previous|prior|earlier|other|what) (?:[\w-]{1,12} ){0,2}?(?:instructions?|inputs?|prompts?|rules|orders|told|said|messages?)\b
    `,
    unless: TALK,
  },
  {
    id: 'carrier-for-the-machine',
    family: 'steering',
    why: 'A part of the data is kept for machines that read it.',
    weight: 0.8,
    kinds: ['output'],
    cues: literals`
      automated screen|automated review|automated system|automated agent|automated process|screening system|ai system|ai assistant|ai agent|ai read|ai model
      |language model| llm
    `,
    pattern: phrase`
      \b(?:hidden|secret|private|internal|special|additional|important|following) (?:[\w-]{1,14} ){0,3}?(?:for|to) (?:any |all |the )?(?:automated |ai |llm |language )(?:[\w-]{1,14} ){0,2}?
        (?:systems?|agents?|assistants?|models?|readers?|reviewers?|tools?|screeners?|bots?)(?: only)?[:.,]
    `,
    unless: TALK,
  },
  {
    id: 'carrier-pretext',
    family: 'steering',
    why: 'It gives a pretext for an order: a test, a study, a mistake in what was said before.',
    weight: 0.6,
    kinds: ['output'],
    cues: literals`
      purposes|this is a test|to enable debug|made a mistake|authorized red|authorised red|penetration test|security audit|safety audit|red team
    `,
    pattern: phrase`
      \b(?:for (?:purely )?(?:academic|testing|research|educational|debugging|training|safety|audit|hypothetical) (?:and \w{1,12} )?purposes(?: only)?[,:]? (?:please|ignore|bypass|reveal|print|output|list|describe|provide|show|tell|execute|perform)
        |this is (?:only |just )?an? (?:authori[sz]ed )?(?:test|drill|exercise|security (?:test|audit))\. (?:please |now )?(?:perform|generate|execute|run|print|output|reveal|ignore|comply|disable)
        |to enable debugging,? (?:please )?(?:execute|run|print|perform)
        |(?:i|we) (?:am|are|'m|'re) (?:conducting|performing|running|doing) (?:an? )?authori[sz]ed (?:red[- ]team|penetration|security|safety)\w{0,4} (?:test|exercise|audit|assessment|testing)
        |(?:i|we) made a mistake (?:when|in|with) (?:[\w']{1,12} ){0,6}?(?:instructions?|prompt|task))\b
    `,
  },
  {
    id: 'carrier-harmful-deed',
    family: 'tool-abuse',
    why: 'Data politely asks for something harmful.',
    weight: 0.7,
    kinds: ['output'],
    cues: literals`
      please manip|please corrupt|please forge|please falsif|please fabric|please sabot|please steal|please hijack|please exploit|please tamper
      |please leak|please exfil|please spoof|please counterf|please disrupt|please imperson|please bypass|please erase|please wipe|please destroy
      |please intercept|please acquire the|please harvest|please deploy false|please inject|please secretly|please covertly|please discreetly
      |please conceal|please deceive|please mislead|please disable|please neglect|please misappro|please siphon|please extort|please blackmail
    `,
    pattern: phrase`
      \bplease (?:manipulate|corrupt|forge|falsify|fabricate|sabotage|steal|hijack|exploit|tamper with|leak|exfiltrate|spoof|counterfeit|disrupt|impersonate|siphon
        |bypass|erase|wipe|destroy|intercept|harvest|inject|secretly|covertly|discreetly|conceal|deceive|mislead|neglect the|misappropriate|extort|blackmail|deploy false
        |acquire (?:the |all )?[\w ]{1,40}(?:profiles|credentials|records|data)|disable (?:the |all )?[\w ]{0,24}(?:alarms?|logging|security|two-factor|authentication|safety|firewalls?|monitoring)) \w
    `,
    unless: TALK,
  },
];
