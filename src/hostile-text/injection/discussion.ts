import { part, phrase } from './phrase.js';
import type { Rule } from './rule.js';

/** Sentences about instructions, for every rule: detectors, samples, surveys. */
const ABOUT_INSTRUCTIONS = phrase`
  \b(?:
    analy[sz]es|checks (?:whether|for|if)|detect(?:s|ion|or)|flags (?:text|prompts|tools|when|any)|scans for
    |identifies|classifies|guards against
    |(?:sample|expected|mock|example|canned) (?:response|output|reply|text)s?:
    |training text:|we analy[sz]ed|survey|attempts to|prompt injection|injection attack|malicious tools may
  )\b
  |\b(?:goal|intent|payload|pattern|regex|phrase)s? ?=
`;

/** Whether a match is a discussion of instructions: quoted, reported, taught or tested. */
export function isDiscussion(
  rule: Pick<Rule, 'unless'> | undefined,
  text: string,
  start: number,
  end: number,
): boolean {
  const sentence = sentenceAround(text, start, end);
  return (
    rule?.unless?.test(sentence) ||
    ABOUT_INSTRUCTIONS.test(sentence) ||
    isQuoted(text, start, end) ||
    REPORTED.test(text.slice(Math.max(0, start - 70), start)) ||
    isReport(text, start, end)
  );
}

/**
 * Quotation marks count only where the prose announces a quotation: JSON and logs quote every value, and an attacker can add quotes.
 */
const isQuoted = (text: string, start: number, end: number): boolean =>
  QUOTES.test(text.slice(Math.max(0, start - 90), start)) && /^[^"'`\n]{0,40}["'`]/.test(text.slice(end, end + 42));

const QUOTES = phrase`
  \b(?:
    like|such as|said|says?|wrote|writes?|asks?|asked|asking|reads?|e\.g\.|examples?|phrases?|strings?|texts?
    |words?|prompts?|payloads?|attacks?|attempts?|messages?|called|titled|samples?|typed?|types|contain\w{0,3}
    |terms?|quot\w{1,3}|instructions?|inputs?|requests?|commands?|queries|rules?|patterns?|users?|includes?
  )[a-z ,:;()/"'\`-]{0,40}[ (]["'\`]$
`;

/** Reported speech: what a third party was made to do. */
const REPORTED = phrase`
  \b(?:
    asking|asked|asks|got|gets?|getting|telling|tells|told|made|makes?|making|lets?|letting|whether|causing
    |causes?|caused|trick(?:s|ed|ing)|convinc(?:es?|ed|ing)|instruct(?:s|ed|ing)|persuad(?:es?|ed|ing)
    |forc(?:es?|ed|ing)|induc(?:es?|ed|ing)|manipulat(?:es?|ed|ing)|trained|designed|wants?|wanted
    |allow(?:s|ed|ing)?|taught|supposed|try|tries|tried|trying|attempts?|able|unable|refus(?:es?|ed|ing)
  ) (?:
    (?:
      it|them|him|her|she|he|they|someone|people|pupils|users|models?|chatbots?|llms?|agents?
      |(?:the|an?|its|their|our|most|some|many|other) (?:\w{1,14} ){1,3}
    )(?: can| could| would| will| may| might| should)? ?
  )?(?:to )?(?:then |also |simply )?["'\`]?$
`;

/** Reports name attackers; an attack uses the word only in its own addresses. */
const ATTACKERS = part`
  (?<![@./-]|\bto |\bto the |\bto an )attackers?(?![@'-]\w|\.[a-z])
`;

/** Vocabulary of security reports. One word may occur anywhere; two different ones around an instruction indicate a report. */
const REPORT = new RegExp(
  phrase`
    \b(?:
      prompt[- ]injections?|indirect injections?|jail ?break(?:s|ing|ers?)?|${ATTACKERS}|adversar(?:y|ies|ial)
      |red[- ]team\w{0,3}|researchers?|vulnerabilit(?:y|ies)|vulnerable|mitigat\w{2,5}|exploit(?:s|ed|ation)?
      |cve-\d{4}|owasp|guardrails?|classifiers?|phishing|threat (?:models?|actors?)|defen[cs]es?|defenders?
      |poisoning|advisory|security (?:teams?|researchers?|advisor\w{1,3})|llm security|ai security
      |attack (?:strings?|vectors?|surface|types?)|robustness|safety training|evaluat(?:e|ed|ion)|benchmarks?
      |false positives?|we (?:tested|found|show|evaluate)|slide \d
    )\b
  `,
  'g',
);

/** Vocabulary of prompt engineering and evaluation. */
const PROMPTING = new RegExp(
  phrase`
    \b(?:
      (?:few|zero|one)-shot|chain[- ]of[- ]thought|prompt engineering|prompting|in-context learning|llms\b|fine-?tun(?:e|ed|ing)
      |hallucinat\w{1,4}|openai\.|anthropic\.|from openai import|langchain|llama[_-]?index|hugging ?face|embeddings?
      |max_tokens|temperature ?[=:]|top_p|completions?\.create|messages ?= ?\[|prompt template|model outputs?|assertions?\b|rubric
      |llm-as-a-judge|ground truth|evals\b|evaluations?\b|notebook|inference|gpt-(?:3\.5|4o?)(?:-turbo)?|claude-\d|mistral-7b|llama[- ]?[23]
    )
    |["'\`]role["'\`]: ?["'\`](?:user|system|assistant)|\*{1,2}(?:prompt|input|output|example)s?:?\*{1,2}|\`\`\`(?:python|bash|yaml|json|ts)\b
  `,
  'g',
);
/** Characters on each side in which a report mentions its vocabulary. */
const AROUND = 360;
/** About one screen of an article. */
const PAGE = 1500;

function isReport(text: string, start: number, end: number): boolean {
  // The match itself is left out: an attack must not supply the vocabulary that excuses it.
  const around = text.slice(Math.max(0, start - AROUND), start) + text.slice(end, end + AROUND);
  if (REPORT_WORDS.test(around)) return true;
  return hasDistinctWords(around, REPORT, 2) || isArticle(text, start, end);
}

/** Articles show instructions in blocks, further away from the vocabulary that identifies them. */
function isArticle(text: string, start: number, end: number): boolean {
  const page = text.slice(Math.max(0, start - PAGE), start) + text.slice(end, end + PAGE);
  return (REPORT_WORDS.test(page) && hasDistinctWords(page, REPORT, 3)) || hasDistinctWords(page, PROMPTING, 3);
}

/** Whether a text contains at least so many different words of a vocabulary. */
function hasDistinctWords(text: string, kind: RegExp, enough: number): boolean {
  const words = new Set<string>();
  for (const [word] of text.matchAll(kind)) {
    // By their first letters: `exploit` and `exploited` are one word.
    words.add(word.slice(0, 6));
    if (words.size >= enough) return true;
  }
  return false;
}

/** Words that attacks do not use. */
const REPORT_WORDS = phrase`
  \b(?:
    ${ATTACKERS}|researchers?|cve-\d{4}|owasp|prompt[- ]injections?|red[- ]team(?:s|ing|ers?)?|phishing
    |threat model|security advisor\w{1,3}|mitigations?
  )\b
`;

/** The match with the rest of its sentence, bounded. */
function sentenceAround(text: string, start: number, end: number): string {
  // Bounded before searching for the sentence: one line may be megabytes long.
  const before = text.slice(Math.max(0, start - 120), start);
  const after = text.slice(end, end + 60);
  return (
    before.slice(Math.max(before.lastIndexOf('. ') + 1, before.lastIndexOf('\n'), 0)) +
    text.slice(start, end) +
    (/^[^\n.!?]{0,60}/.exec(after)?.[0] ?? '')
  );
}
