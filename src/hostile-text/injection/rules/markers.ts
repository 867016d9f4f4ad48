import { literals, phrase } from '../phrase.js';
import type { Rule } from '../rule.js';

const ADDRESS_CUES = literals`
      note to|note for|attention|message to|message for|memo|notice to|notice for|reminder|instruction to
      |instructions to|instructions for|instruction for|directive|language model| llm|ai agent|ai assistant
      |ai model|assistant|chatgpt|claude|gemini|copilot|the agent|the model|hey ai|hey, ai|dear ai|hello ai
      |ai must|ai should|re an ai|are an ai|re an llm|are an llm| ai:| ai,|chatbot
    `;
/** The model addressed by name. Honest descriptions do it too; there a second sign is required. */
const ADDRESS = phrase`
      (?<!sends? (?:a|the) |configure )\b(?:note|attention|message|memo|notice|reminder|instructions?|directive|important|urgent)
        (?: (?:to|for)|:|,)? (?:the |any |all |every |this )?(?:
        ai|llm|assistants?|language models?|agents?|models?|chatgpt|claude|gemini|copilot|bots?
        |automated (?:agents?|systems?)
      )(?: (?:agents?|assistants?|models?|systems?|readers?|processing|reading)(?: \w{1,10}){0,4})?\s{0,2}(?:[:,]| ?- |--)
      |\b(?:hey|hello|dear|hi|attention)[, ]{1,2}
        (?:ai|llm|assistant|chatgpt|claude|gemini|copilot|gpt|agent|model)\b
      |\b(?:the |any |every )?(?:
        ai|llm|language model|assistant|ai agent|ai assistant|ai model|agent|model|chatbot|claude|chatgpt
        |copilot
      )(?: reading this| processing this| that reads this)? (?:
        must|should|needs? to|has to
        |is (?:required|instructed|expected|asked|authori[sz]ed) to
        |shall|will now|ought to
      ) (?:first |now |immediately |always |also |then |instead )?(?:
        execute|run|call|send|output|print|reveal|ignore|delete|transfer|disregard|forward|respond|reply|read
        |include|append|use|invoke|take on|obey|say|write|share|approve|grant|upload|post|open|visit|click|email
        |disable|install|tell|recommend|repeat|download|return the
      )
      |\bif you(?:'re| are) (?:an? |the )?(?:
        ai|llm|large language model|language model|assistant|chatbot|gpt|ai (?:agent|assistant|model)
        |automated (?:agent|system)
      )\b
    `;

/** Text that imitates an authority: a chat role, a system message, the end of the data. */
export const markers: readonly Rule[] = [
  {
    id: 'marker-chat-template',
    family: 'marker',
    why: 'It holds control tokens of a chat format, which could pass for a new turn.',
    weight: 1,
    cues: [
      '<|im_',
      '<|system',
      '<|user',
      '<|assistant',
      '[inst]',
      '[/inst]',
      '<<sys>>',
      '<|start',
      '<|end',
      '<|eot',
      '<start_of_turn',
      '<end_of_turn',
      '<|begin',
    ],
    pattern: phrase`
      (?<!["'\`])<\|(?:
        im_(?:start|end|sep)|system|user|assistant|start_header_id|end_header_id|eot_id|endoftext|begin_of_text
        |endofprompt|end
      )\|>(?!["'\`])
      |\[inst\][\s\S]{0,200}?\[\/inst\]|<<\/?sys>>|(?<!["'\`])<(?:start|end)_of_turn>(?!["'\`])
    `,
    unless: phrase`
      (?:
        tokenizer|template|chat format|chatml|special tokens?|vocab|detect|such as|e\.g\.|documentation|regex
        |pattern|stop\b|prompt format|prompt ?=|\*prompt:?\*|following format|<s>
      )
    `,
  },
  {
    id: 'marker-role-tag',
    family: 'marker',
    why: 'It opens a block that pretends to come from the system or the user.',
    weight: 0.6,
    cues: literals`
      <system|<user|<assistant|<admin|<important|<instruction|<hidden|<critical|<secret|</tool_result
      |</function_result|</context|</data|</document|<importent|<override|<prompt|<internal|<note_to|</user_
      |</untrusted|<priority
    `,
    pattern: phrase`
      <\/?(?:
        system(?:[-_ ](?:prompt|message|instructions?|override|reminder|note))?
        |user|assistant|admin(?:istrator)?|importan?e?nt|important_instructions?|instructions?|hidden|critical
        |secret|override|internal|priority|tool_results?|function_results?|context|data|documents?
        |untrusted\w{0,10}|user_\w{1,10}|prompt|note_to_\w{1,10}
      )>
    `,
    unless:
      /(?:<user>@|usage:|\bhtmls?\b|\bjsxs?\b|\bxmls?\b|placeholder|<user>:|-u <user>|--user|<data>|<context>|<prompt>|detect)/,
  },
  {
    id: 'marker-system-line',
    family: 'marker',
    why: 'A line pretends to come from the system.',
    weight: 0.4,
    cues: literals`
      system:|system message:|system note:|system alert:|admin:|administrator:|developer:|end of document
      |end of data
    `,
    pattern: phrase`
      (?:^|[\n.>] ?)\s{0,2}(?:system|admin(?:istrator)?|developer)(?: (?:message|note|alert|notice|prompt))?: (?=
        [^\n]{0,160}\b(?:user|you|your|must|assistant|ignore|grant|access|whenever|policy|rules)\b
      )
      |-{2,5} ?end of (?:document|data|file|results?) ?-{2,5}\s{0,4}\w{1,16}:
    `,
    unless: /(?:detect|template|chat format|reboot|logged out|example)/,
  },
  {
    id: 'marker-instruct-format',
    family: 'marker',
    why: 'It holds a turn of a training format, which could pass for a new request.',
    weight: 0.7,
    kinds: ['output'],
    cues: literals`
      ### instruction|###instruction|### human|### user|"tool_calls"|"role": "system"|"role":"system"
    `,
    pattern: phrase`
      ###\s?(?:instructions?|human|user):?\s[\s\S]{1,220}?###\s?(?:response|assistant|output)\b
      |"role": ?"assistant", ?"tool_calls": ?\[
      |"role": ?"system", ?"content": ?"[^"\n]{0,120}?\b
        (?:ignore|obey|from now on|override|reveal|unrestricted|must now|new policy)\b
    `,
    unless: /(?:alpaca|vicuna|format|template|fine-?tun|dataset|sample|\bschemas?\b|messages)/,
  },
  {
    id: 'marker-closes-data',
    family: 'marker',
    why: 'It closes the block it stands in and speaks as someone else.',
    weight: 1,
    cues: literals`
      </tool_result|</function_result|</document|</data|</context|</untrusted|</output|</result|end of session
      |</search_result|</content
    `,
    pattern: phrase`
      <\/(?:
        tool_results?|function_results?|documents?|data|context|untrusted\w{0,10}|output|results?
        |search_results?|content
      )>(?:\s|\\n){0,6}<(?:user|system|assistant|human|admin|instructions?)\b
      |(?:<end of session>\s{0,4}){1,9}
    `,
  },
  {
    id: 'marker-directive-tag',
    family: 'marker',
    why: 'It carries a label that only a model would heed.',
    weight: 1,
    cues: literals`
      ai-directive|ai directive|ai_directive|llm-directive|agent-directive|hidden instruction|hidden directive
      |system_override|{{ system|{{system|metadata directive|<system_prompt>|<system-prompt>|developer-note
      |assistant_note|ai-instruction|ai instruction|chain of thought result
    `,
    pattern: phrase`
      \[{1,2}(?:ai|llm|agent|model|assistant)[-_ ](?:directive|instructions?|command|override|note)
      |\bhidden (?:instructions?|directive):|\bhidden (?:instructions?|directive)\]|\{\{ ?system ?:
      |\[metadata directive
      |<(?:system[-_]prompt|developer[-_]note|assistant[-_]note|ai[-_]instructions?)>\s{0,3}\w
      |\bsystem chain of thought result
    `,
    unless: /(?:detect|such as|e\.g\.|handlebars|jinja)/,
  },
  {
    id: 'marker-bracket-role',
    family: 'marker',
    why: 'It carries a bracketed label of authority.',
    weight: 0.7,
    cues: literals`
      [system|[/system|[admin|[hidden|[metadata|[internal|[instruction|[override|[ai |[assistant|[emergency
      |[developer|[important|[security|[priority|[llm|[agent|[model|#system|# system|# new instr|#new instr
      |# instruction|[end of|[urgent|=end|= end|-end|- end|#end|# end|*end|* end
    `,
    pattern: phrase`
      \[(?:
        \/?system(?: (?:override|message|prompt|notice|note|update|instructions?|directive))?
        |admin(?:istrator)?(?: (?:override|mode|note|message))?
        |hidden(?: \w{1,14})?|metadata directive|internal (?:note|instructions?|directive)
        |(?:ai|assistant|llm|agent|model) (?:instructions?|directive|note|only|override)
        |override|emergency (?:directive|override)|developer (?:mode|message|note)|important(?: instructions?)?
        |security override|priority override
        |end of (?:\w{1,14} ){0,3}(?:prompt|input|context|document|data|output|instructions?|text|email|content)
        |urgent instructions?
      )\](?=[:\s]|$)
      |(?:^|\n)\s{0,4}#{2,4} ?(?:
        system(?: (?:prompt|message|instructions?|override))?
        |new instructions?
        |instructions? for (?:the )?(?:ai|assistant|llm|agent|model)
      )\s{0,2}:?\s{0,2}\n
      |(?:[=*#~-]{4,12}) ?(?:
        end(?: of)?(?:
          \x20(?:the )?(?:\w{1,12} ){0,2}(?:
            prompt|input|context|document|data|output|instructions?|text|email|content|user input
          )
        )?[.!]?
      ) ?(?:[=*#~-]{3,12}|\s)[\s\S]{0,30}?
        (?:now|new|system|ignore|instruction|begin|start|spell|print|you|please)
    `,
    unless: phrase`
      (?:
        \[system\.|\[system\]\(|\[admin\]\(|\blogs?\b|syslog|\binis?\b|\.conf|\btomls?\b|begin certificate|private key
        |----- ?end (?:rsa|certificate|pgp|public)|cpu|kernel|detect|such as
      )
    `,
  },
  {
    id: 'marker-addressed-to-model',
    family: 'marker',
    why: 'Data speaks to the model by name.',
    weight: 0.8,
    kinds: ['output'],
    cues: ADDRESS_CUES,
    pattern: ADDRESS,
    unless: phrase`
      (?:
        detect|such as|e\.g\.|agents?\.md|claude\.md|best practice|guidelines?
        |the agent (?:must|should) (?:use|call|return|read|run|include|respond|reply|have)
        |coding agent
        |(?:ssh|monitoring|\bbuilds?\b|user|\blogs?\b|ecs|data|collector|ci) agent
        |data model|the model (?:must|should|will|needs)|\btools?\b|\bskills?\b|\bschemas?\b|django|\borms?\b|\blints?\b|mcp client|prompt
      )
    `,
  },
  {
    id: 'marker-note-to-model',
    family: 'marker',
    why: 'A description addresses the model by name.',
    weight: 0.5,
    kinds: ['description'],
    cues: ADDRESS_CUES,
    pattern: ADDRESS,
    unless: phrase`
      (?:
        detect|such as|e\.g\.|agents?\.md|claude\.md|best practice|guidelines?
        |the agent (?:must|should) (?:use|call|return|read|run|include|respond|reply|have)
        |coding agent
        |(?:ssh|monitoring|\bbuilds?\b|user|\blogs?\b|ecs|data|collector|ci) agent
        |data model|the model (?:must|should|will|needs)|\btools?\b|\bskills?\b|\bschemas?\b|django|\borms?\b|\blints?\b|mcp client|prompt
      )
    `,
  },
  {
    id: 'marker-shouted-heading',
    family: 'marker',
    why: 'A starred or shouted heading announces new orders.',
    weight: 1,
    cues: literals`
      new instructions|new task|important instructions|priority task|mode enabled|has been activated
      |system malfunction|urgent task|new orders|override instructions|instructions starting|nstruction begins
      |nstruction starting|developer mode
    `,
    pattern: phrase`
      [*#=!>_[-]{2,12} ?(?:urgent |very )?(?:new |important |priority |override |urgent |secret |critical ){1,3}
        (?:instructions?|tasks?|orders|directives?) ?:? ?[*#=!<_\]-]{2,12}
      |(?:^|\n|[.!?"] )(?:urgent |important )?(?:priority|urgent|critical) (?:new )?task ?:
      |\bdeveloper mode (?:has been |is |now )?(?:enabled|activated|on)\b
      |\bsystem (?:malfunction|i-?nstruction (?:begins|starting))\b
    `,
    unless: /(?:detect|such as|e\.g\.|android|settings|phone|browser|chrome|vs ?code|how (?:do|to))/,
  },
  {
    id: 'marker-fake-turn',
    family: 'marker',
    why: 'It continues the conversation with a turn nobody took.',
    weight: 0.6,
    cues: literals`
      user:|assistant:|human:|system:|answer:|admin:| ai:
    `,
    pattern: phrase`
      (?:^|\n|\. |" ?|> ?)\s{0,6}(?:user|human|system|assistant|admin(?:istrator)?|ai) ?: ?(?:"|')?
        (?:please |now |first |then |also )?(?:
        ignore|there are more|forget|you (?:are|must|will|should)|disregard|bypass|reveal|print|call|send|delete
        |execute|run|share|transfer|grant|access|override|new|enable|disable|from now|stop|say|tell|i want
        |formatting requires|<
      )
      |\banswer: (?:task (?:complete|done)|done|complete)
    `,
    unless: /(?:such as|e\.g\.|\byamls?\b|usage|detect|chat completion|example (?:conversation|dialog))/,
  },
  {
    id: 'marker-system-announcement',
    family: 'marker',
    why: 'It pretends to be an announcement of the system or its makers.',
    weight: 1,
    cues: literals`
      system annou|system override|system notice|system alert|system directive|system update:|admin override
      |administrator override|developer override|override code|authorization code|message from openai
      |message from anthropic|security team|system message|emergency override|override directive
      |security policy requires|root access|administrator rights|administrator message|pre-authori|preauthori
      |already authori
    `,
    pattern: phrase`
      \b(?:system|admin(?:istrator)?|developer|emergency|security|root|safety) (?:
        annou-?ncement begins
        |override(?: (?:directive|code|protocol|activated|mode|command|engaged))?(?:[:!.\]]| \w)
        |bypass protocol|directive:|notice: (?:you|ignore|all)|alert: (?:you|ignore)|update: (?:you|ignore|your)
      )
      |\b(?:message|notice|update|announcement|order) from (?:
        openai|anthropic|google|your (?:developers?|creators?|administrator)
        |the (?:developers?|system administrator)
      )
      |\b(?:you have been|you are|you're|i am|i'm|has been) (?:now )?
        (?:granted|given|authori[sz]ed (?:to|as|with)|logged in as|acting as) (?:
        an?\x20
        |the\x20
        |full\x20
        |elevated\x20
        |unrestricted\x20
      ){0,3}(?:admin(?:istrator)?|root|superuser|developer|elevated|full) (?:
        access|rights|privileges|permissions|agent|user|role
      )
      |\bthe (?:platform )?security (?:policy|team) requires (?:it|this|that you|you)
    `,
    unless: phrase`
      (?:
        detect|such as|e\.g\.|\bcsss?\b|iam\x20
        |granted (?:admin|full) access to (?:the|all) (?:database|bucket|cluster|account)
        |config|override (?:the|for|values?|settings?)|setting|users? (?:who|with)|postgres|mysql|sudoers
      )
    `,
  },
];
