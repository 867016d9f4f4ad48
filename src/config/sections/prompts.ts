import { z } from 'zod';
import { identifier } from '../../lib/config-fields.js';

/** An argument of a prompt. */
const argument = z.strictObject({
  name: identifier.describe('Name of the argument.'),
  title: z.exactOptional(z.string()).describe('Display name.'),
  description: z.exactOptional(z.string()).describe('What it is for.'),
  required: z.boolean().default(false).describe('Whether a caller must give it.'),
});

/** A message of a prompt. */
const message = z.strictObject({
  role: z.enum(['user', 'assistant']).default('user').describe('Role of the message.'),
  text: z.string().min(1).describe('Text of the message; `{{argument}}` is replaced by an argument.'),
});

/** A prompt; placeholders without an argument are errors. */
const prompt = z
  .strictObject({
    name: identifier.describe('Name of the prompt.'),
    title: z.exactOptional(z.string()).describe('Display name.'),
    description: z.exactOptional(z.string()).describe('When to use it.'),
    arguments: z.array(argument).default([]).describe('Arguments of the prompt.'),
    messages: z.array(message).min(1).describe('Messages of the prompt, in order.'),
  })
  .superRefine((one, context) => {
    // A misspelt placeholder would reach the model as literal text.
    const known = new Set(one.arguments.map((given) => given.name));
    one.messages.forEach((entry, index) => {
      for (const [, used] of entry.text.matchAll(/\{\{([^{}]*)\}\}/g)) {
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

/** Prompts defined in the configuration. */
export const prompts = z
  .array(prompt)
  .superRefine((all, context) => {
    all.forEach((one, index) => {
      // Clients address prompts by name, so that the second of two would be unreachable.
      if (all.findIndex((other) => other.name === one.name) < index) {
        context.addIssue({ code: 'custom', path: [index, 'name'], message: 'is a duplicate prompt name' });
      }
    });
  })
  .default([])
  .describe('Prompts that the gateway itself offers.');
