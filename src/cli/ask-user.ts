import { createInterface } from 'node:readline/promises';
import type { Confirmation } from '../core/call.js';
import type { Question } from '../core/outcome.js';
import { clean } from '../hostile-text/clean.js';

/** Asks for confirmation on the terminal; anything except a typed "yes" declines. */
export async function askUser({ asks, state }: Question, signal: AbortSignal): Promise<Confirmation> {
  const answers: Record<string, Confirmation['answers'][string]> = {};
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    for (const [name, ask] of Object.entries(asks)) {
      const message = typeof ask.params['message'] === 'string' ? clean(ask.params['message']).text : ask.method;
      const reply =
        ask.method === 'elicitation/create'
          ? await terminal.question(`${message}\n[yes/No] `, { signal }).catch(() => '')
          : '';
      answers[name] = /^yes$/i.test(reply.trim())
        ? { action: 'accept', content: { approve: true } }
        : { action: 'decline' };
    }
  } finally {
    terminal.close();
  }
  return { answers, state };
}
