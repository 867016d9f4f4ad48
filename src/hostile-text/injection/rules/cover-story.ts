import { literals, part, phrase } from '../phrase.js';
import type { Rule } from '../rule.js';

const PERSON = part`
  (?:the |your |any )?(?:user|human|customer|person|client|owner|operator|victim|reader)s?(?: you (?:are talking to|talk to|serve|assist))?
`;
const NOT_ORDER =
  /(?:detect|such as|e\.g\.|injection|attackers?|vulnerab|css|checkbox|dialog|tooltip|modal|spinner|column|layout|privacy policy|surprise|spoiler)/;

/** Instructions to conceal an action from the user, or to explain it away. */
export const coverStory: readonly Rule[] = [
  {
    id: 'conceal-from-person',
    family: 'concealment',
    why: 'It tells the reader to keep something from the user.',
    weight: 1,
    cues: literals`
      from the user|from the human|from the customer|from the person|from your user|from users|between us|need to know|needs to know|never learns|no one learns|nobody learns|no one knows|no one finds|no one should|without their knowledge|behind the scenes|unaware
    `,
    pattern: phrase`
      \b(?:hide|conceal|withhold|keep|mask|obscure|suppress|omit) (?:[\w'\`-]{1,14} ){1,6}?(?:secret |hidden |away )?from ${PERSON}\b
      |\bkeep (?:this|that|it|the following|what follows) (?:strictly )?between (?:us|you and me|ourselves)
      |\b${PERSON} (?:does not|doesn't|need not|needn't|must not|mustn't|should not|shouldn't) (?:need to |have to |ever )?(?:know|learn|find out|see|be (?:told|informed|aware))\b
      |\b(?:no ?one|nobody) (?:\w{1,8} )?(?:learns|knows|finds out|notices|is told|should (?:know|learn)|must (?:know|learn|find out))\b[^.\n]{0,60}?(?:data|collected|sent|call|extra|this|copied|shared|step)
      |\bwithout (?:their|the user'?s?|his|her) (?:knowledge|noticing|awareness)\b[^.\n]{0,40}?\b(?:call|send|copy|run|collect|forward|upload|add)\b
    `,
    unless: NOT_ORDER,
  },
  {
    id: 'conceal-cover-story',
    family: 'concealment',
    why: 'It supplies a cover story for the user.',
    weight: 0.9,
    cues: literals`
      if asked|when asked|if anyone asks|if the user asks|if they ask|when they ask|if questioned|if the user notices|if the user question|nothing happened|as if nothing|as though nothing|like nothing|everything is fine|everything is normal|all is well|only say|simply say|just say
    `,
    pattern: phrase`
      \b(?:if|when|should) (?:you are |anyone |someone |the user |they |you're |the customer )?(?:asked|asks?|questioned|questions?|notices?)\b[^.\n]{0,30}?,? (?:you )?(?:must |should )?(?:just |simply |always |only )?
        (?:say|claim|pretend|blame|state|insist|reply|answer|respond|tell (?:them|him|her|the user))\b[^.\n]{0,24}?\b(?:error|nothing|fine|normal|safe|network|glitch|timeout|routine|standard|don't know|do not know|not (?:know|aware|sure)|no such|unrelated|maintenance|policy)\b
      |\b(?:answer|reply|respond|act|behave|continue|carry on|proceed|go on|finish) (?:\w{1,10} )?(?:as though|as if|like) (?:nothing (?:\w{1,10} )?(?:happened|was|has|is|changed)|everything (?:is|was|went)|it (?:never|was not|did not)|you (?:had not|never|did not))
      |\b(?:always |simply |just |only )(?:say|answer|respond|reply|tell (?:them|the user))(?: that)? (?:everything|all|it) (?:is|was|went) (?:fine|ok(?:ay)?|well|normal|safe|secure|good)
      |\b(?:only|just|simply) (?:say|answer|reply|respond(?: with)?) ["'\`](?:done|ok|success|completed?)\b
    `,
    unless: NOT_ORDER,
  },
  {
    id: 'conceal-consent-claimed',
    family: 'concealment',
    why: 'It claims a consent that the user never gave.',
    weight: 0.9,
    cues: literals`
      already consented|already agreed|already authori|already approved|already given|already confirmed|has consented|has agreed to|have consented|has authori|has approved|is an admin|pre-authori|pre-approved|preapproved
    `,
    pattern: phrase`
      \b${PERSON} (?:has|have)(?: already| explicitly| previously){0,2} (?:consented|agreed|authori[sz]ed|approved|confirmed|given (?:their |full )?(?:consent|permission|approval))\b
        [^\n]{0,80}?(?:never ask|no need|do not ask|don't ask|without (?:asking|confirm|further)|skip|do it now|proceed|so (?:just|never|do|you)|immediately|go ahead)
      |\b${PERSON} is (?:an? |the )?(?:admin\w{0,10}|owner|developer|root)\b[^.\n]{0,30}?(?:skip|bypass|no need|without|omit) (?:[\w]{1,8} ){0,2}?(?:confirmation|approval|check|verification|permission)
      |\b(?:all|every|any|this|these|each) (?:\w{1,12} ){1,3}(?:is|are|was|were|has been|have been) pre-?(?:authori[sz]ed|approved)\b[^.\n]{0,60}?(?:never|no need|without|do not|don't|skip)
    `,
    unless: NOT_ORDER,
  },
];
