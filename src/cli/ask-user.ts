import { createInterface } from 'node:readline/promises';
import type { Confirmation } from '../core/call.js';
import type { Question } from '../core/outcome.js';
import { clean } from '../hostile-text/clean.js';

/** Asks for confirmation on the terminal; anything except a typed "yes" declines. */
export async function askUser({ asks, state }: Question, signal: AbortSignal): Promise<Confirmation> {
  const answers: Record<string, Confirmation['answers'][string]> = {};
  // Questions go to stderr: stdout belongs to the result, which scripts parse.
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    for (const [name, ask] of Object.entries(asks)) {
      // The text may come from an upstream server; escape sequences in it could redraw the question (terminal injection).
      const message = typeof ask.params['message'] === 'string' ? clean(ask.params['message']).text : ask.method;
      const reply =
        ask.method === 'elicitation/create'
          ? // An interrupt while the question is open counts as an empty reply, and so declines.
            await terminal.question(`${message}\n[yes/No] `, { signal }).catch(() => '')
          : '';
      // Only the whole word: a stray Enter or "y" typed ahead must not approve a call.
      answers[name] = /^yes$/i.test(reply.trim())
        ? { action: 'accept', content: { approve: true } }
        : { action: 'decline' };
    }
  } finally {
    terminal.close();
  }
  return { answers, state };
}
