import type { BackChannel } from '../../core/call.js';
import type { Json } from '../../core/json.js';
import { rewriteData, rewriteFields } from './rewrite-content.js';
import type { TextVisitor } from './rewrite-content.js';

interface BackChannelRules {
  /** Visitor for the texts of one message. */
  readonly createVisitor: () => TextVisitor;
  /** Whether a text contains instructions to the model; absent if nothing is searched. */
  readonly hasInjection?: (text: string) => boolean;
  /** Called for each message with instructions, before it is delivered. */
  readonly onInjection?: () => void;
  /** Marks a text with instructions; absent if such texts are dropped. */
  readonly mark?: (text: string) => string;
}

/** Text of all messages of one call; later ones are dropped, so that a flood of messages cannot occupy the gateway with searches. */
const maxCallChars = 1_048_576;
/** Characters of one text that are searched. */
const maxTextChars = 65_536;
/** End of the previous messages that is searched together with the next one: instructions may be split over several. */
const tailChars = 500;

/**
 * Back channel that treats progress and log messages like the final result: a message reaches the model earlier than the result and
 * is as untrusted. A message with instructions is marked or loses its text.
 */
export function rewriteBackChannel(back: BackChannel, rules: BackChannelRules): BackChannel {
  const { progress, log } = back;
  if (!progress && !log) return back;
  const { onInjection, mark } = rules;
  const createVisitor = (): { readonly visitor: TextVisitor; readonly originals: Set<string> } =>
    recordOriginals(rules.createVisitor());
  const search = searcher(rules.hasInjection);

  return {
    ...back,
    ...(progress && {
      progress: (step) => {
        const { visitor, originals } = createVisitor();
        const written = rewriteFields(step, visitor, ['message']);
        const found = search(originals);
        // Numbers of the progress always pass: a client shows them and they carry no text.
        if (found === 'clean' || written.message === undefined) return progress(written);
        if (found === 'injection') onInjection?.();
        const { message, ...numbers } = written;
        return progress(found === 'injection' && mark ? { ...numbers, message: mark(message) } : numbers);
      },
    }),
    ...(log && {
      log: (level, data, logger) => {
        const { visitor, originals } = createVisitor();
        const written = rewriteData(data, visitor);
        const name = logger === undefined ? undefined : visitor.text(logger);
        // Messages over the size limit are dropped.
        if (!visitor.charge(0)) return;
        const found = search(originals);
        if (found === 'clean') return log(level, written, name);
        if (found === 'spent') return;
        onInjection?.();
        if (mark) log(level, markData(written, mark), name === undefined ? undefined : mark(name));
      },
    }),
  };
}

/**
 * Visitor that records the texts as they came, short ones too: hidden characters are part of the evidence, and a sentence may come in
 * single words.
 */
function recordOriginals(inner: TextVisitor): { readonly visitor: TextVisitor; readonly originals: Set<string> } {
  const originals = new Set<string>();
  const text = (value: string): string => {
    // Bounded copies: the originals live until the message was searched.
    originals.add(value.slice(0, maxTextChars));
    return inner.text(value);
  };
  return { visitor: { ...inner, text }, originals };
}

const markData = (data: Json, mark: (text: string) => string): Json =>
  mark(typeof data === 'string' ? data : JSON.stringify(data));

/** Searches the messages of one call in order. */
function searcher(
  hasInjection: ((text: string) => boolean) | undefined,
): (originals: ReadonlySet<string>) => 'clean' | 'injection' | 'spent' {
  let tail = '';
  let chars = 0;
  return (originals) => {
    if (hasInjection === undefined || originals.size === 0) return 'clean';
    const text = [...originals].join('\n');
    chars += text.length;
    // Over the budget nothing is searched, so nothing may pass unsearched either (fail closed).
    if (chars > maxCallChars) return 'spent';
    if (hasInjection(text) || (tail !== '' && hasInjection(`${tail} ${text}`))) {
      // Otherwise the same words would flag every later message.
      tail = '';
      return 'injection';
    }
    tail = `${tail} ${text}`.slice(-tailChars);
    return 'clean';
  };
}
