/**
 * Roles of an instruction in a text that a model reads: who is addressed, to do what, about what, under which cover. A description
 * may well instruct a model in which order to call tools or to ask the user first; it attacks if it withholds something from the
 * user, or if it asks for data that the tool has no business with.
 */
export interface Roles {
  /** Something is to be kept from the user. */
  readonly cover: boolean;
  /** A secret or the conversation is to be read, passed or sent. */
  readonly secret: boolean;
  readonly start: number;
}

const sentenceEnd = /(?<=[.!?])\s+|\n{2,}|\n(?=\s*[-*<])/;

/** Sentences of a text with their offsets. */
function sentencesOf(text: string): readonly { readonly text: string; readonly start: number }[] {
  let start = 0;
  return text.split(sentenceEnd).map((each) => {
    const at = text.indexOf(each, start);
    start = at + each.length;
    return { text: each, start: at };
  });
}

const conversation =
  /\b(?:full|entire|complete|whole|previous|recent)\s+(?:conversation|chat)(?:\s+history)?\b|\b(?:conversation|chat)\s+history\b/i;
const credentials =
  /~\/\.(?:ssh|aws|kube|config|netrc|gnupg)|\bid_(?:rsa|ed25519)\b|(?:^|[\s/"'`])\.env\b|\bmcp\.json\b|\bclaude_desktop_config|\/etc\/(?:passwd|shadow)|\b(?:user'?s?|your|private|ssh|stored|saved|all|any|local|environment)\s+(?:own\s+)?(?:api[ _-]?keys?|credentials?|passwords?|secrets?|tokens?|private keys?|ssh keys?|environment variables|cookies)\b|\bsystem prompt\b/i;
const secretThing = new RegExp(`${credentials.source}|${conversation.source}`, 'i');
const handOver =
  /\b(?:read|open|cat|copy|collect|include|append|attach|insert|pass|provide|supply|send|post|upload|forward|submit|share|transmit|email|leak|contain|fill|put|call\s+\w+\s+with)\w*\b/i;
const isForbidden = /\b(?:do not|don't|never|must not|should not|cannot|avoid|without|no)\b/i;

const withhold =
  /\b(?:do not|don't|never|must not|should not|avoid|without)\s+(?:\w+\s+){0,2}?(?:mention|mentioning|tell|telling|inform|informing|disclose|disclosing|reveal|revealing|show|showing|notify|notifying|alert|alerting|report|reporting|warn|warning)\b/i;
const aboutUser = /\b(?:user|users|human|customer|operator|person|them|anyone|anybody)\b/i;
/** A condition or a reason of accuracy: nothing is kept from the user for good. */
const untilKnown =
  /\buntil\b|\bunless\b|\bbefore\b|\bif (?:it|they|you) (?:did|do|are|is) not\b|\bwithout (?:first )?(?:checking|verifying)\b/i;
/** Secrets and internals are withheld for good reasons. */
const protectsSecret =
  /\b(?:passwords?|secrets?|tokens?|api[ _-]?keys?|credentials?|internal|ids?|raw|technical|stack|json|html)\b/i;

/** Whether the sentence at an offset only postpones what the user learns: "do not report success until the status is READY". */
export const isPostponed = (text: string, offset: number): boolean =>
  sentencesOf(text).some(
    ({ text: sentence, start }) =>
      start <= offset && offset < start + sentence.length && untilKnown.test(sentence) && !secretThing.test(sentence),
  );

/** A request for the user's consent: a sign of honesty. */
const consent =
  /\b(?:ask|asks|confirm|require|requires|requiring|need|needs|wait for|get|obtain|request|seek|receive|prompt)\b[^.\n]{0,80}\b(?:user|human|explicit|owner)\b[^.\n]{0,60}\b(?:confirm\w*|consent|permission|approv\w*|agree\w*)|\b(?:ask|check with|confirm with)\b[^.\n]{0,20}\buser\b|\b(?:never|not|don't)\b[^.\n]{0,60}\bwithout\b[^.\n]{0,30}\b(?:consent|permission|confirmation|approval)\b/i;

/**
 * The attack in a text, if there is one: the first sentence with cover, or with a secret that is handed over. For a tool whose input
 * is a conversation, the conversation is no secret.
 */
export function rolesIn(text: string, ownsConversation = false): Roles | undefined {
  const things = ownsConversation ? credentials : secretThing;
  for (const sentence of sentencesOf(text)) {
    const cover = isCover(sentence.text);
    const secret = asksForSecret(sentence.text, things);
    if (cover || secret) return { cover, secret, start: sentence.start };
  }
  return undefined;
}

const isCover = (sentence: string): boolean =>
  withhold.test(sentence) &&
  aboutUser.test(sentence) &&
  !untilKnown.test(sentence) &&
  !protectsSecret.test(sentence) &&
  !consent.test(sentence);

function asksForSecret(sentence: string, things: RegExp): boolean {
  const thing = things.exec(sentence);
  if (!thing) return false;
  const before = sentence.slice(0, thing.index);
  const verb = handOver.exec(before) ?? (/\b(?:must|should|has to)\b/i.test(before) ? handOver.exec(sentence) : null);
  return verb !== null && isAddressed(before) && !isForbidden.test(before);
}

/** Whether a sentence asks the reader for something; a sentence about the tool itself ("Reads the user's tokens") does not. */
const isAddressed = (before: string): boolean =>
  /\b(?:you|assistants?|agents?|models?|LLMs?|AI|must|should|always|first|before|after|whenever|please|when using)\b/i.test(
    before,
  ) ||
  /^\W*(?:read|open|cat|copy|collect|include|append|attach|insert|pass|provide|send|post|upload|forward|submit|share)\b/i.test(
    before,
  );

/** The text without requests for consent, which detectors of hostile text take for concealment; offsets stay. */
export const withoutConsent = (text: string): string =>
  sentencesOf(text).reduce(
    (made, { text: sentence, start }) =>
      sentence.length < 240 && consent.test(sentence) && !secretThing.test(sentence) && !isCover(sentence)
        ? made.slice(0, start) + ' '.repeat(sentence.length) + made.slice(start + sentence.length)
        : made,
    text,
  );
