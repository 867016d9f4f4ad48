// A source in code: a notebook in memory. Every call passes the same guards as the tools of any other source.
import { defineSource, refuse } from 'toolgate';

export function notes() {
  const book = new Map();
  return defineSource({
    id: 'notes',
    tools: [
      {
        name: 'notes__write',
        description: 'Stores a note under a title',
        input: {
          type: 'object',
          properties: { title: { type: 'string', maxLength: 80 }, text: { type: 'string', maxLength: 10_000 } },
          required: ['title', 'text'],
          additionalProperties: false,
        },
        effects: { destroys: false, openWorld: false },
        run({ title, text }) {
          book.set(title, text);
          return { stored: title };
        },
      },
      {
        name: 'notes__read',
        description: 'Reads the note with a title',
        input: {
          type: 'object',
          properties: { title: { type: 'string' } },
          required: ['title'],
          additionalProperties: false,
        },
        effects: { writes: false, destroys: false, openWorld: false, idempotent: true },
        run: ({ title }) => book.get(title) ?? refuse('not_found', 'No note has this title'),
      },
    ],
  });
}
