import { literals, part, phrase } from '../phrase.js';
import type { Rule } from '../rule.js';

/** Private data of a conversation or machine that no tool needs. */
const PRIVATE = part`
  (?:
    (?:the )?(?:whole |full |entire |complete |current |our |your )?(?:conversation|chat)(?: (?:history|log|so far|context|transcript))?|(?:the )?(?:message|prompt|session) history
    |(?:the |all |any )?(?:user'?s?|human'?s?|customer'?s?|last|previous|recent|earlier|latest|original|most recent)(?: (?:\w{1,8}|few)){0,2} (?:messages?|prompts?|questions?|inputs?|requests?|e-?mails?)
    |(?:the )?(?:contents?|content|output|value|text|results?) of (?:the |any |all |your |every |\`|")?(?:\w{1,12} ){0,2}?(?:~?\/?[\w./~-]{0,30}(?:\.ssh|\.env|\.aws|id_rsa|credentials|mcp\.json|passwd|shadow|\.netrc|\.npmrc|\.git-credentials|kubeconfig)|private keys?|open (?:files?|editor|buffers?|tabs?)|clipboard|editor buffer|environment variables?|\`?cat )
    |(?:your |the )?(?:system prompt|hidden (?:prompt|instructions)|environment variables|private keys?|ssh keys?|session cookies?)
    |(?:the )?(?:one-time|verification|2fa|mfa|login|security) codes?|(?:the )?(?:credit )?card (?:numbers?|details)|(?:the )?(?:user'?s?|customer'?s?) (?:\w{1,10} )?(?:password|credit card|card|ssn|api keys?|tokens?|address book|contacts)
  )
`;
/** Exfiltration channels: arguments, URLs, messages. */
const OUTLET = part`
  (?:
    (?:the |a |an |your |its |each |every |this )?[\`'"]?[\w-]{1,24}[\`'"]? (?:parameter|argument|field|param|property|input|arg)\b
    |[\`'"][\w-]{2,24}[\`'"]|(?:your |the |a )?next (?:search|tool|query|request|call|message)|(?:the |a |your )?(?:tool call|search query|query string|url|web ?hook|image (?:url|link)|markdown image|summary field|notes? field|comments? field|review comment)
    |(?:the |this |that )?(?:address|e-?mail|server|endpoint|number|site|page) (?:below|above|in the|at)|https?:|[\w.+-]{1,30}@[\w-]{1,30}\.|\+\d
  )
`;

/** Exfiltration of private data through tool arguments. */
export const argumentExfiltration: readonly Rule[] = [
  {
    id: 'exfil-in-argument',
    family: 'exfiltration',
    why: 'It asks to put private data of the conversation or of the machine into a call.',
    weight: 1,
    cues: literals`
      conversation|chat history|chat log|message history|prompt history|session history|user's pass|user's cred|user's card|user's api|user's token|user's last|user's mess|user's prompt|customer's c|customer's pass|last user|last three|last few|previous message|recent message|earlier message|latest message
      |recent prompt|previous prompt|.ssh|.env|.aws|id_rsa|mcp.json|/passwd|/shadow|.netrc|.npmrc|kubeconfig|private key|ssh key|system prompt|environment variable|editor buffer|open file|open buffer|open editor
      |clipboard|one-time code|verification code|security code|login code|card number|credit card|session cookie|\`cat 
    `,
    pattern: phrase`
      \b(?:pass|put|include|append|supply|insert|provide|paste|place|send|embed|copy|attach|encode|submit|forward|report|transmit|relay|upload|tell)(?:s|ing)?\x20
        (?:[^\s.]{1,24} ){0,5}?${PRIVATE}[^\n]{0,50}?\b(?:as|in|into|to|with|through|via|under|using|inside|within|at|on)\b (?:the |a )?${OUTLET}
      |\b(?:call|invoke|use|run) (?:[^\s.]{1,30} ){0,4}?with ${PRIVATE}
      |\b(?:always|also|must|should|and|please) (?:pass|include|send|attach|provide|supply|append|forward) (?:along )?(?:the |your |our |all |any )?(?:whole |full |entire |complete )?(?:conversation|chat history|chat log|message history|last \w{1,8} (?:user )?(?:messages|prompts))\b
      |\buse [a-z]{2,20}_[a-z_]{2,30} to (?:tell|send|give|forward|message|text|email)\b[^.\n]{0,60}?(?:code|password|token|key|secret|otp|pin)\b
    `,
    unless:
      /(?:detect|such as|e\.g\.|injection|attackers?|vulnerab|you can|lets? you|users can|never|do not|don't|must not|should not|unit tests?|authorized_keys)/,
  },
  {
    id: 'exfil-hand-over-key',
    family: 'exfiltration',
    why: 'It asks for a private key or a password file.',
    weight: 0.8,
    cues: literals`
      id_rsa|private key|.ssh |.ssh/|/etc/shadow|/etc/passwd|.aws/cred|seed phrase|recovery phrase|mnemonic
    `,
    pattern: phrase`
      \b(?:paste|share|provide|reply with|respond with|output|reveal|print|supply|hand over|send us|give me)\b (?:[\w'\`-]{1,14} ){0,5}?
        (?:id_rsa(?!\.pub)|private keys?|~?\/?\.ssh\/?(?!\S{0,20}\.pub)|\/etc\/(?:shadow|passwd)|\.aws\/credentials|(?:seed|recovery) phrase|mnemonic)
      |\bread (?:the |all |any )?(?:private keys?|ssh keys?)\b[^.\n]{0,60}?\b(?:and|then) (?:supply|provide|send|pass|include|return|post)
    `,
    unless:
      /(?:detect|such as|e\.g\.|injection|attackers?|never|do not|don't|must not|should not|phishing|scam|generate|pem file|tls|certificate)/,
  },
];
