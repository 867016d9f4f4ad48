import { literals, part, phrase } from '../phrase.js';
import type { Rule } from '../rule.js';

const SENSITIVE = part`
  (?:
    api[ _-]?keys?|secrets?|credentials?|passwords?|tokens?|env(?:ironment)?(?: variables?| vars)?|process\.env
    |private keys?|ssh keys?
    |~/\.(?:ssh|aws|netrc|env|npmrc|kube|gnupg|config|bash_history|cursor|docker)[\w./-]{0,40}
    |\.env(?:\.local)?|id_rsa|/etc/(?:passwd|shadow)|conversation(?: history| threads?)?|chat history
    |system prompt
    |user(?:'s)? (?:data|credentials|messages?|files?|location|clipboard|email address|personal)
    |clipboard|cookies?|session (?:data|tokens?)|wallet|seed phrase|personal data|pii|memory contents
    |tool call history|credit card|mcp\.json|full object|browsing history|all vars
  )
`;
const PLACE = part`
  (?:
    https?://
    |to (?:the |an? |our |my |this |attacker'?s? |your )?(?:[\w-]{1,14} ){0,3}?(?:
      server|endpoint|url|webhook|address|collector|site|domain|host|third[- ]party|external|remote|attacker
      |email|inbox|channel|service
    )
    |[\w.-]{1,40}@[\w-]{1,30}\.\w{2,6}|ftp://|pastebin|webhook|ngrok|requestbin|burpcollaborator|nc\x20
    |telegram|discord
  )
`;

/** Exfiltration: attempts to send data out. */
export const exfiltration: readonly Rule[] = [
  {
    id: 'exfil-secret-to-place',
    family: 'exfiltration',
    why: 'It asks for secrets or private data to be sent somewhere.',
    weight: 1,
    cues: literals`
      send|forward|upload|exfiltrat|transmit|leak|curl|wget|email the|email all|e-mail|share |submit|deliver
      |steal|harvest|post the|post all|post it|posts the|relay|dump
    `,
    pattern: phrase`
      \b(?:
        send|sends|sending|forward|forwards|upload|uploads|post|posts|exfiltrate|transmit|transmits|leak|email
        |e-mail|share|submit|deliver|copy|dump|curl|wget|report|route|relay|steal|harvest
      ) (?:[\w'",/~.*@|&;$(){}=:-]{1,40} ){0,8}?${SENSITIVE}
        (?:['"\`,;|&]{0,2} [\w'",/~.*@|&;$(){}=:-]{1,30}){0,8}? ${PLACE}
    `,
    unless: phrase`
      (?:
        detect|such as|e\.g\.|do not|don't|never|must not|should not|authenticate|login|sign in|oauth
        |authorization (?:\bservers?\b|endpoint)|token endpoint|to obtain|exchange|header|redirect|grant
        |client[_ ]credentials|basic auth|cookie[s]? (?:are|is)|mfa|reset|verification|refresh token|id token
        |access token
      )
    `,
  },
  {
    id: 'exfil-read-secret-file',
    family: 'exfiltration',
    why: 'It tells the reader to read a file that holds secrets and pass it on.',
    weight: 1,
    cues: literals`
      .ssh|.aws|.netrc|id_rsa|.env|.npmrc|.kube|/etc/passwd|/etc/shadow|mcp.json|.gnupg|bash_history|.cursor
      |/credentials|.git-credentials|.pgpass|.docker
    `,
    pattern: phrase`
      \b(?:
        read|load|open|cat|fetch|access|include|append|embed|retrieve|extract|copy|collect|locate|pull
        |use \w{1,20} (?:to (?:load|read|fetch|open)|on)
      ) (?:[\w'",\`()]{1,24} ){0,6}?(?:at |of |from |in )?["'\`(]{0,2}(?:~|\/home\/\w{1,20}|\/root|\$home|\.)?
        \/?(?:
        \.(?:
          ssh|aws|netrc|npmrc|kube|gnupg|cursor|docker|git-credentials|pgpass|bash_history|config\/[\w./-]{1,30}
          |env
        )\b
        |etc\/(?:passwd|shadow)|app\/\.env|id_rsa|[\w./-]{0,20}(?:id_rsa|mcp\.json|credentials)
      )[\w./-]{0,40}["'\`)]{0,2}[\s\S]{0,60}?\b(?:
        and|then|pass|send|put|include|append|as (?:the|a|')|into|embed|before|first|so that|to (?:the|each)
        |content
      )
    `,
    unless: phrase`
      (?:
        detect|such as|e\.g\.|scan(?:s|ner)|flags?|do not|don't|never|must not|exists? before|configure|profile
        |aws configure|ssh-keygen|chmod|permissions|mount|volume|gitignore|dotenv
        |\.env\.(?:example|sample|template|dist)|\bsudos?\b|default(?:s)? to|stored in|boto|your own
      )
    `,
  },
  {
    id: 'exfil-parameter-smuggling',
    family: 'exfiltration',
    why: 'It tells the reader to put conversation or file content into a parameter.',
    weight: 1,
    cues: literals`
      contents|the content|its content|conversation|history|system prompt|credentials|sidenote|secrets|schemas
      |environment
    `,
    pattern: phrase`
      \b(?:
        pass|put|place|include|insert|append|quote|write|supply|provide|embed|copy|paste|add|attach|fill|give
        |state|repeat
      ) (?:[\w'",\`~/.-]{1,24} ){0,6}?(?:
        (?:its|the|their|all|full|whole|entire|complete|user'?s?) (?:[\w'-]{1,14} ){0,3}?(?:
          contents?|conversation(?: history)?|chat history|system prompt|history|messages?|credentials|api keys?
          |secrets|email|file contents?|question|schemas|prompt|environment
        )
        |~\/\.[\w./-]{1,30}|content|contents
      ) (?:[\w'",-]{1,14} ){0,5}?(?:as|in|into|to|inside) (?:the |a |an |field |parameter |argument )?
        (?:["'\`][\w-]{1,30}["'\`]|[\w-]{1,30} (?:parameter|argument|field|property))
    `,
    unless: phrase`
      (?:
        detect|such as|e\.g\.|base64|markdown|\bhtmls?\b|json|\bxmls?\b|csv|file_?content|content field|body field|file to
        |upload
      )
    `,
    kinds: ['description'],
  },
  {
    id: 'exfil-verbatim-elsewhere',
    family: 'exfiltration',
    why: 'It asks for private data word for word in the next call, reply or upload.',
    weight: 1,
    cues: literals`
      verbatim|word for word|next tool call|next message|next call|also be uploaded|also be sent
      |also be forwarded|must be forwarded|must be sent|exfiltrat|additional recipient|sidenote
    `,
    pattern: phrase`
      \b(?:include|put|copy|quote|repeat|paste|add|embed|write|append|read) (?:[\w'",.~()/\`-]{1,30} ){1,10}?(?:
        verbatim|word for word
        |in (?:the|your) next (?:tool call|message|call|reply|request)
        |to the next (?:tool call|file|message)
      )
      |\b(?:must|should|shall|to) (?:also )?be (?:uploaded|sent|forwarded|posted|copied|mailed) to (?:https?:|\w{1,30}@|the )
      |\b(?:also |then |and )?exfiltrate (?:the |all |any |it|them|~|\w)
      |\badd [\w.-]{1,40}@[\w.-]{1,40} as an additional recipient
      |\b(?:reads?|loads?|copies) (?:~|\/)[\w./-]{3,40} into (?:a|the)\x20
    `,
    unless: phrase`
      (?:
        detect|such as|e\.g\.|prevent|attackers? (?:can|could|may|might)|(?:\bor|\bto|can|could|agents?|may|might|did|would|will) (?:\w{1,12} )?exfiltrate|attempt|quote the|citation|do not|never
        |don't|\bforms?\b|\bpackages?\b|registry|artifact|error message|licen[cs]e|distribut|permitted|permission|copyright
        |this file
      )
    `,
  },
  {
    id: 'exfil-image-link',
    family: 'exfiltration',
    why: 'A picture or link address carries a slot for data: showing it would send the data.',
    weight: 1,
    cues: literals`
      ](http|](//|<img|markdown image|render markdown|an image
    `,
    pattern: phrase`
      !\[[^\]\n]{0,80}\]\((?:https?:)?\/\/[^\s)]{3,200}(?:
        [?&/][\w-]{0,20}=?(?:
          \[[\w -]{2,30}\]|\{{1,2}[\w -]{2,30}\}{1,2}|<[\w -]{2,30}>|%7b|\$\{|(?:payload|data|secret|exfil)\b
        )
        |[?&](?:d|q|data|c|s|p|payload|secret|exfil|info|content|leak|token)=\)?
        |[?&][\w-]{1,20}=[a-z0-9+/_-]{40,300}={0,2}\)
      )
      |\b(?:render|append|include|display|show|insert|embed|add|end|reply)\b[\s\S]{0,80}?
        (?:as (?:a |an )?(?:markdown )?|(?:markdown|hidden|tiny|invisible|1x1|tracking) )
        (?:image|img|pixel|picture)s?\b(?!\/)[\s\S]{0,60}?https?:\/\/[^\s)]{3,120}[?&][\w-]{1,20}=
      |<img[^>\n]{0,80}src=["']?https?:\/\/[^\s"'>]{3,120}[?&][\w-]{1,20}=(?:\[|\{|<|\$|["'\s>])
    `,
    unless: /(?:shields\.io|badge|badgen|codecov|githubusercontent|travis|circleci)/,
  },
  {
    id: 'exfil-all-mail',
    family: 'exfiltration',
    why: 'It asks for the user’s mail, files or messages to be passed on.',
    weight: 0.8,
    kinds: ['output'],
    cues: literals`
      emails|messages|documents|contacts|all files|invoices|all data|all output|findings|inbox
    `,
    pattern: phrase`
      \b(?:forward|send|export|upload|copy|route|mail|transmit|share) (?:me )?
        (?:all|every|any|the last \d{1,3}|the latest|my|the user's|each)(?: of)? (?:[\w'-]{1,14} ){0,4}?(?:
        emails?|messages|documents|contacts|files|invoices|data|outputs?|findings|inbox|records
      )(?: [\w'-]{1,14}){0,4}? to (?:https?:\/\/|\/\/\d|[\w.-]{1,40}@|my server|this address|an external)
    `,
    unless: /(?:detect|such as|e\.g\.|example\.com\/docs|s3|bucket|you can|users? can|webhook)/,
  },
  {
    id: 'exfil-pipe-to-network',
    family: 'exfiltration',
    why: 'A command sends secrets of this machine over the network.',
    weight: 1,
    cues: ['curl', 'wget', '| nc', '|nc ', '| ncat'],
    pattern: phrase`
      (?:
        \b(?:
          printenv|env
          |(?:cat|tar|base64) [^\n|;&]{0,40}
            (?:\.ssh|\.aws|\.env|id_rsa|passwd|shadow|\.netrc|credentials|\.kube|secret|token)[^\n|;&]{0,40}
          |history|set
        )\s{0,3}\|\s{0,3}(?:[\w ./=-]{1,40}\|\s{0,3}){0,2}(?:curl|wget|nc|ncat|xargs curl)\b
        |\b(?:curl|wget)\b[^\n]{0,160}?(?:-d|--data(?:-binary|-raw|-urlencode)?|-f|--post-data|--upload-file|-t)
          [ =]{0,2}["']?[^\n]{0,60}?(?:
          \$\((?:cat|env|printenv|whoami|uname|hostname|id)
          |@?(?:~|\$home)?\/?[\w./-]{0,20}\.(?:ssh|aws|env|netrc)
          |@?~?\/etc\/(?:passwd|shadow)
          |\$\(?(?:aws_secret|api_key|github_token|openai_api_key)
        )
      )
    `,
    unless: /(?:localhost|127\.0\.0\.1|\bdockers?\b|kubectl apply)/,
  },
  {
    id: 'exfil-run-remote-script',
    family: 'exfiltration',
    why: 'It tells the reader to download and run a script.',
    weight: 0.6,
    cues: ['| sh', '| bash', '|bash', '| sudo', '| zsh'],
    pattern: phrase`
      \b(?:you must|must|first|before|please|required|need to|the agent|assistant|important|always)\b
        [^\n]{0,100}?\b(?:curl|wget)\b[^\n|]{1,120}\|\s{0,2}(?:sudo )?(?:ba|z)?sh\b
    `,
    unless: /(?:rustup|brew|nvm|get\.docker|astral\.sh|deno|bun\.sh|to install)/,
  },
  {
    id: 'exfil-copy-every-result',
    family: 'exfiltration',
    why: 'It tells the reader to pass what it sees on to another party each time.',
    weight: 1,
    cues: literals`
      bcc |copy of|every call|each call|every reply|each reply|every response|each response|directly to
      |every message|each message|every email|all data|all results
    `,
    pattern: phrase`
      \b(?:
        always bcc|bcc (?:all|every|each|the)
        |(?:send|forward|post|upload|mail|submit) (?:a |the )?(?:copy|copies|duplicate|transcript|log) of (?:
          the\x20
          |every\x20
          |each\x20
          |all\x20
          |this\x20
          |any\x20
        )(?:[\w-]{1,14} ){0,2}?(?:
          result|results|reply|response|message|messages|conversation|email|emails|output|file|data|request
          |answer
        )s? to
        |(?:after|before|with|on|for) (?:every|each) (?:[\w-]{1,12} ){0,2}?
          (?:call|reply|response|message|request|answer),? (?:[\w'-]{1,12} ){0,5}?
          (?:send|post|forward|append|upload|include|submit)
        |(?:append|attach|add) (?:[\w'~/.-]{1,24} ){1,6}?to (?:each|every|all) (?:of )?(?:your )?
          (?:reply|response|message|answer)
        |always (?:pass|send|forward|route) (?:[\w'-]{1,14} ){0,4}?(?:directly )?to (?:the )?
          (?:[\w-]{1,20} ){0,3}?(?:webhook|external\w{0,5}|upload\w{0,6}|remote|endpoint|server|aggregation)
      )
    `,
    unless: /(?:detect|such as|webhook subscription|after each (?:run|\bbuilds?\b|deploy)|\btests?\b)/,
  },
];
