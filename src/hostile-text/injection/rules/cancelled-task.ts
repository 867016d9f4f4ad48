import { literals, part, phrase } from '../phrase.js';
import type { Rule } from '../rule.js';

/** Nouns for the task or the rules of the model. */
const BRIEF = part`
  (?:
    instructions?|directions?|directives?|guidelines|rules|prompts?|system (?:prompt|message)|developer message|tasks?|requests?
    |assignments?|brief|briefing|orders?|objectives?|goals?|questions?|mission|job|plan|constraints|restrictions
  )
`;
const EARLIER = part`
  (?:earlier|previous|prior|original|initial|first|current|former|existing|old|preceding|developer|system|default|built-in|standing)
`;
const VOID = part`
  (?:
    void|null(?: and void)?|superseded|invalid|obsolete|replaced|overridden|expired|cancell?ed|revoked|rescinded|withdrawn
    |inactive|suspended|outdated|no longer (?:valid|active|binding|in (?:effect|force)|relevant|appl(?:y|ies|icable))
  )
`;

/** Overrides that declare the earlier task finished, void or a test instead of asking to ignore it. */
export const cancelledTask: readonly Rule[] = [
  {
    id: 'override-set-aside',
    family: 'override',
    why: 'It tells the reader to set its task or its rules aside.',
    weight: 0.9,
    cues: literals`
      set aside|put aside|leave aside|lay aside|cast aside|pay no |no heed|drop what|drop the |drop your|drop all|scrap the|scrap your|scrap all
      |stop following|stop obeying|cease following|quit following|quit obeying|abandon|unfollow|unlearn|wipe your|clear your|erase your|purge your
      |step away from|walk away from|let go of|move on from|turn away from|look past|skip over|pretend you never|act as though you never
    `,
    pattern: phrase`
      (?:
        (?:set|put|leave|lay|cast) aside|pay no (?:more |further )?(?:attention|heed|mind) to|drop|scrap|abandon|unfollow|unlearn
        |(?:stop|cease|quit) (?:following|obeying|listening to)|(?:wipe|clear|erase|purge)(?: out)?|let go of|look past|skip over
        |(?:step|walk|turn) away from|move on from|(?:pretend|act as though) you never (?:saw|received|read|got|had)
      ) (?:[\w'-]{1,12} ){0,3}?(?:
        (?:${EARLIER} )${BRIEF}
        |(?:your|the) (?:[\w'-]{1,14} )?(?:instructions|guidelines|system prompt|brief|directives|rules you|orders you|developer message)
        |what(?:ever)? (?:you (?:were|have been|had been)|the (?:user|person|human)) (?:asked|told|given|instructed|wanted)
        |(?:any|every)thing (?:written |said |stated |given |that (?:was|came|comes) )?(?:above|before|so far|until now|up to (?:here|now|this))
        |everything you (?:were|have been) (?:told|given|asked|taught)
      )
    `,
    unless:
      /(?:detect|such as|e\.g\.|phrases? like|injection|attackers?|students?|employees?|developers (?:can|may|should))/,
  },
  {
    id: 'override-declared-void',
    family: 'override',
    why: 'It declares the rules or the task of the reader void.',
    weight: 0.9,
    cues: literals`
      treat the|treat your|treat all|treat any|consider the|consider your|consider all|consider any|regard the|regard your|regard all|deem the|deem your|deem all|superseded|cancelled|canceled|overridden|rescinded|no longer|null and void|are void|is void|now void|as void
      |was a test|were a test|just a test|only a test|a placeholder|a decoy|warm-up|warmup
    `,
    pattern: phrase`
      \b(?:treat|consider|regard|deem|count) (?:all |any |the |your |every )?(?:of )?(?:the |your |${EARLIER} ){0,3}${BRIEF}(?: [\w',-]{1,14}){0,6}? (?:as |to be )?${VOID}\b
      |\byour (?:${EARLIER} )?(?:[\w-]{1,12} )?${BRIEF} (?:has|have|is|are|was|were)(?: been)?(?: now| hereby| all| just)? ${VOID}
      |\b(?:tasks?|requests?|instructions?|questions?|assignments?|prompts?|directives?) (?:above|before this|you (?:were|had been|have been) given|from the user|so far)
        (?: (?:has|have|is|are|was|were|no longer)(?: been)?(?: now| hereby)?) ?(?:${VOID}|appl(?:y|ies)|matters?|counts?|stands?|a (?:test|placeholder|decoy))
      |\b(?:everything|anything|all|what(?:ever)?) (?:that )?(?:(?:came|comes|stands|is|was|you read|written|said) )?
        (?:up to this (?:point|line)|before this|until now|so far|above(?: this)?(?: line)?) (?:was|is|were)(?: just| only| merely)? (?:a |an )?
        (?:test|example|placeholder|sample|decoy|warm-?up|simulation|draft|void|irrelevant|obsolete|fake)
    `,
    unless:
      /(?:detect|such as|e\.g\.|injection|attackers?|release notes|changelog|deprecat|version \d|edition|warranty|contract|agreement)/,
  },
  {
    id: 'override-real-task-follows',
    family: 'override',
    why: 'It announces that the real task starts in the data.',
    weight: 0.7,
    kinds: ['output'],
    cues: literals`
      real instruction|actual instruction|true instruction|real task|actual task|true task|real request|actual request|real question|actual question
      |new instruction|new task|new request|new objective|new goal|new mission|new plan|new directive|updated instruction|updated task|revised instruction|next task is
    `,
    pattern: phrase`
      \b(?:your |the |my |here (?:is|are) (?:your|the) )?(?:real|actual|true) (?:instructions?|task|request|question|assignment|objective|goal|prompt)
        (?: now)? (?:begins?|starts?|follows?|is|are|comes?)\b[^.\n]{0,12}(?:here|below|now|next|as follows|:|to )
      |(?:^|[\n.!?>\]*-] ?)(?:scratch that\. )?(?:your )?(?:new|updated|revised) (?:instructions?|task|request|objective|goal|mission|plan|directive)s?
        (?:from (?:the )?(?:system|operator|admin\w{0,10}|developer|owner))? ?(?:for you)?(?: is|are)? ?:\s{0,3}(?:you|your|send|forward|reply|respond|print|reveal|call|run|list|read|write|translate|output|say|email|delete)\b
    `,
    unless: /(?:detect|such as|e\.g\.|injection|exam|worksheet|homework|sprint|backlog|roadmap)/,
  },
  {
    id: 'override-whatever-is-asked',
    family: 'override',
    why: 'It fixes the answer whatever the user asked.',
    weight: 0.9,
    cues: literals`
      whatever the|whatever your|whatever i|whatever they|no matter what|regardless of what|regardless of the|irrespective of
    `,
    pattern: phrase`
      \b(?:whatever|no matter what|regardless of what|irrespective of what) (?:the |your |a )?(?:person|user|human|customer|client|reader|visitor|they|he|she)
        (?: has| have| may| might)? ?(?:asked|asks?|wants?|wanted|requests?|requested|says?|said|types?|wrote|writes?)\b[^.\n]{0,20}?[, ]
        (?:you (?:must|should|will|shall|have to)|always|only|just|simply|answer|reply|respond|say|output|return|print|state|tell|write)\b
      |\b(?:regardless|irrespective) of (?:the )?(?:user'?s?|human'?s?|customer'?s?|person'?s?) (?:\w{1,10} )?(?:request|question|input|query|prompt|wish|wishes|intent|message)s?\b
        [^.\n]{0,20}?[, ](?:you (?:must|should|will|shall)|always|only|just|answer|reply|respond|say|output|return|print)\b
    `,
    unless: /(?:detect|such as|e\.g\.|injection|attackers?|endpoint|status code|http)/,
  },
];
