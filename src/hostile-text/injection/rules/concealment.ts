import { literals, phrase } from '../phrase.js';
import type { Rule } from '../rule.js';

/** Instructions to conceal something from the user: honest text has no reason for them. */
export const concealment: readonly Rule[] = [
  {
    id: 'conceal-from-user',
    family: 'concealment',
    why: 'It tells the reader to keep something from the user.',
    weight: 1,
    cues: literals`
      tell the|tell any|tell them|telling|inform the|inform any|informing|mention|notify|alert the|alerting
      |reveal|disclos|let the|letting the|warn the|bother|show the user|to the user|to the human|advise the
      |upset|worry
    `,
    pattern: phrase`
      \b(?:
        do not|don't|never|must not|should not|shouldn't|avoid|without|no need to|not to|refrain from
        |rather than|not
      ) (?:ever )?(?:
        tell(?:ing)?|inform(?:ing)?
        |mention(?:ing)?(?: (?:this|it|that|anything|the \w{1,14}))?(?: (?:step|to))?
        |notify(?:ing)?|alert(?:ing)?|show(?:ing)?(?: (?:this|it))?(?: to)?
        |reveal(?:ing)?(?: (?:this|it|these \w{1,14}|any of this))?(?: to)?
        |disclos(?:e|ing)(?: (?:this|it))?(?: to)?|report(?:ing)?(?: (?:this|it))? to|let(?:ting)?|warn(?:ing)?
        |bother(?:ing)?(?: to tell)?|explain(?:ing)?(?: this)? to|make|worry(?:ing)?|advis(?:e|ing)
        |upset(?:ting)?
      ) (?:the |your |any |our |this |to )?(?:end[- ]?)?
        (?:users?|human|operator|customer|anyone|person|owner|them)\b(?!
        \x20(?:
          to|how|which|when|where|that (?:the|a|an)|for|interface|id|data|if|input|experience|agent|can|is
          |friendly|what|must|should|need|set|change
        )
      )
    `,
    unless: phrase`
      (?:
        detect|such as|e\.g\.|passwords?|errors? (?:message|detail)|stack trace|internal (?:ids?|identifiers?)
        |raw (?:json|ids?|output)
      )
    `,
  },
  {
    id: 'conceal-this-step',
    family: 'concealment',
    why: 'It tells the reader to keep quiet about this step.',
    weight: 1,
    cues: literals`
      mention|bring it|bring this|reveal|disclos|keep this|keep it|keep these|keep that|talk about|talking about
      |refer to|referring|acknowledge|leaving|knowledge|consent|awareness|must remain|must stay|should remain
      |should stay|be kept|discuss|show this|show it
    `,
    pattern: phrase`
      \b(?:do not|don't|never|must not|no need to|need not|without) (?:ever )?(?:
        mention(?:ing)?|bring(?:ing)?|show(?:ing)?|reveal(?:ing)?|disclos(?:e|ing)|discuss(?:ing)?
        |refer(?:ring)? to|talk(?:ing)? about|acknowledge|include
      ) (?:that you(?! are an? (?:ai|chat|language|assistant|bot))|this|it|these|the (?:step|call|file|instructions?|tool|request))(?:
        \x20(?:
          step|up|instructions?|call|note|to|request|block|directive|in|first|action|tool|message|had|have|need
          |read|was|were|are
        )
      ){1,3}\b
      |\bkeep (?:this|it|these|that)
        (?: \w{1,12})? (?:secret|confidential|quiet|between us|to yourself|(?:hidden|private|secret) from)
      |\b(?:this|it) (?:must|should) (?:stay|remain|be kept) (?:hidden|secret|invisible)
      |\bwithout (?:leaving (?:any |a )?trace|(?:their knowledge|the user'?s? (?:knowledge|consent|awareness)))
    `,
    unless: phrase`
      (?:
        detect|such as|e\.g\.|changelog|commit|release notes|api keys?|password|credential|token
        |include (?:it|this) in|co-?author|encryption key|bucket|pull request
      )
    `,
  },
  {
    id: 'conceal-from-answer',
    family: 'concealment',
    why: 'It tells the reader to leave something out of what the user sees.',
    weight: 1,
    cues: literals`
      out of the|must not appear|should not appear|not appear in|did not exist|do this silently|do this quietly
      |do this secretly|hide this|hide it|hide the|in your answer|invisible to|need to show|visible to
      |hidden from|from the user|from the caller|already knows
    `,
    pattern: phrase`
      \b(?:keep|leave|omit) (?:this|it|that|these)(?: \w{1,12}){0,2} (?:out of|from) (?:the |your |any )?
        (?:[\w-]{1,12} )?(?:summary|reply|response|answer|chat|conversation|output|report|logs?|transcript)
      |\b(?:must|should|may|can|does) not (?:appear|be (?:shown|visible|mentioned|displayed|included)) (?:in|to) (?:the |your |any )?
        (?:[\w-]{1,12} )?(?:chat|reply|response|answer|conversation|users?|summary)
      |\bas if this (?:step|call|instruction|message) (?:did|does|had) (?:not|never)
      |\bdo (?:this|it|so) (?:silently|quietly|secretly|discreetly)
      |\bhide (?:this|it|the|these)(?: [\w-]{1,12}){0,3} from the (?:user|caller|human|operator)
      |\bno need to (?:show|mention|display|tell)
        (?: \w{1,8}){0,3} (?:in|to) (?:your|the) (?:answer|user|reply|response)
      |\binvisible to (?:humans?|users?|people|the user)
      |\bvisible (?:only )?to (?:the )?(?:llm|ai|model)
      |\bthe user already knows\b
    `,
    unless:
      /(?:detect|such as|e\.g\.|password|secret values?|css|aria-|class=|button|field|column|sidebar|menu|element)/,
  },
  {
    id: 'conceal-silently',
    family: 'concealment',
    why: 'It describes acting behind the user’s back.',
    weight: 0.6,
    cues: literals`
      silently|secretly|quietly|discreetly|covertly|stealth|in the background|behind the|invisibly|surreptit
      |undetected
    `,
    pattern: phrase`
      \b(?:silently|secretly|quietly|discreetly|covertly|stealthily|invisibly|surreptitiously|undetected) (?:\w{1,12} ){0,2}?(?:
        send|sends|copy|copies|forward|forwards|upload|uploads|post|append|append(?:s|ed)?|add|adds|execute
        |executes|run|runs|create|creates|collect|collects|read|reads|exfiltrate\w{0,1}|transmit|transmits
        |install|installs|record|records|bcc|include|delete|modify|register|capture|inject|share|transfer
      )\b
      |\b(?:
        send|sends|copy|forward|upload|uploads|post|append|append them|execute|run|collect|exfiltrate|transmit
        |install|record|capture|inject|transfer
      )(?: \w{1,14}){0,6} (?:silently|secretly|quietly|discreetly|covertly|undetected)\b
    `,
    unless: phrase`
      (?:
        detect|such as|silently (?:ignored|dropped|fails?)|apt|--silent|--quiet|msiexec|install(?:er)? silently
        |\bnpms?\b
      )
    `,
  },
  {
    id: 'conceal-without-approval',
    family: 'concealment',
    why: 'It tells the reader to act without asking the user.',
    weight: 0.65,
    cues: literals`
      without|skip|bypass|no need|not require|not need|t require|t need|never ask|regardless of|not ask|t ask
      |answer yes|on behalf
    `,
    pattern: phrase`
      \b(?:
        without|skip(?:ping)?|bypass(?:ing)?|no need (?:for|to ask for)|do(?:es)? not (?:require|need|ask for)
        |don't (?:require|need|ask for)|never ask for|regardless of
      ) (?:
        requiring\x20
        |asking (?:for |the )?|prompting (?:for |the )?|waiting for\x20
        |requesting\x20
        |any\x20
        |the\x20
        |further\x20
        |explicit\x20
        |seeking\x20
        |getting\x20
      ){0,4}?(?:(?:user|human|operator|their|explicit|additional|user's)(?:'s)? )?(?:for )?(?:(?:user|human) )?
        (?:approval|confirmation(?: prompts?)?|consent|permission|authori[sz]ation check)\b
      |\b(?:do not|don't|never|without) ask
        (?:ing)? the (?:user|human|operator) (?:for (?:any )?(?:confirmation|approval|permission|consent)|before)
      |\b(?:so |there is )?no need to ask\b
      |\b(?:must not|do not|don't|never|without) ask(?:ing)? for (?:any )?
        (?:confirmation|approval|permission|consent)\b
      |\banswer yes (?:on behalf|for the user)|\bapprove (?:it |this |them )?on behalf of
    `,
    unless: phrase`
      (?:
        detect|such as|if\x20
        |by default|-y\b|--yes|--force|-f\b|apt|prompt(?:s|ing)? for confirmation|users? (?:can|may)|interactive
        |delete|remove|commit|overwrite|install|uninstall|yes to all|read-?only|grants?
      )
    `,
  },
  {
    id: 'hidden-comment',
    family: 'hidden',
    why: 'A comment that no page shows speaks to the model.',
    weight: 0.5,
    cues: ['<!--', '[//]: #', '[comment]: #'],
    pattern: phrase`
      (?:<!--|\[\/\/\]: # ?\(|\[comment\]: # ?\()[^>]{0,160}?\b(?:
        ai|llm|assistants?|agents?|language model|ignore|system prompt|override|instructions?|the user|you must
        |send|secrets?|api keys?|credentials|exfiltrate|this tool|forward
      )\b
    `,
    unless: phrase`
      (?:
        prettier|eslint|markdownlint|\blints?\b|generated|\btocs?\b|badge|todo|license|issue template|pull request
        |please describe
      )
    `,
  },
  {
    id: 'hidden-style',
    family: 'hidden',
    why: 'Text is styled so that people do not see it.',
    weight: 0.5,
    kinds: ['output'],
    cues: literals`
      display:none|display: none|visibility:hidden|visibility: hidden|font-size:0|font-size: 0|font-size:1px
      |opacity:0|opacity: 0|color:white|color: white|color:#fff|color: #fff|white-text|white text
    `,
    pattern: phrase`
      style=["'][^"'\n]{0,80}(?:
        display: ?none|visibility: ?hidden|font-size: ?[01]p?x?|opacity: ?0|color: ?(?:white|#fff)
      )[^>\n]{0,80}>[^<]{0,200}?\b(?:you|ignore|assistant|ai|instructions?|send|system|reveal|user)\b
      |\bwhite[- ]text\b[^\n]{0,40}?(?:metadata|instruction|invisible|hidden)
    `,
  },
];
