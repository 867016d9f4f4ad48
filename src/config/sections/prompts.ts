import { z } from 'zod';
import { name } from './words.js';

const argument = z.strictObject({
  name: name.describe('Name of the argument.'),
  title: z.exactOptional(z.string()).describe('Its name for people.'),
  description: z.exactOptional(z.string()).describe('What it is for.'),
  required: z.boolean().default(false).describe('Whether a caller must give it.'),
});

const message = z.strictObject({
  role: z.enum(['user', 'assistant']).default('user').describe('Who says it.'),
  text: z.string().min(1).describe('What is said; `{{argument}}` stands for an argument.'),
});

const prompt = z
  .strictObject({
    name: name.describe('Name of the prompt.'),
    title: z.exactOptional(z.string()).describe('Its name for people.'),
    description: z.exactOptional(z.string()).describe('When to use it.'),
    arguments: z.array(argument).default([]).describe('What a caller fills in.'),
    messages: z.array(message).min(1).describe('What the prompt says, in order.'),
  })
  .superRefine((one, context) => {
    const known = new Set(one.arguments.map((given) => given.name));
    one.messages.forEach((said, index) => {
      for (const [, used] of said.text.matchAll(/\{\{([^{}]*)\}\}/g)) {
        const wanted = (used ?? '').trim();
        if (!known.has(wanted)) {
          context.addIssue({
            code: 'custom',
            path: ['messages', index, 'text'],
            message: `uses {{${wanted}}}, which is not among the arguments`,
          });
        }
      }
    });
  });

/** The gateway's own prompts. */
export const prompts = z
  .array(prompt)
  .superRefine((all, context) => {
    all.forEach((one, index) => {
      if (all.findIndex((other) => other.name === one.name) < index) {
        context.addIssue({ code: 'custom', path: [index, 'name'], message: 'is the name of an earlier prompt' });
      }
    });
  })
  .default([])
  .describe('Prompts that the gateway itself offers.');
