import { z } from 'zod';
import { secretText as toSecret } from './text/secret-text.js';

/** Valid names of tools, sources, policies and prompts. */
export const identifier = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, _ or -');

/** A list of non-empty strings. */
export const stringList = (defaults: readonly string[]) => z.array(z.string().min(1)).default([...defaults]);

/** A text with `${NAME}` references that redacts itself when printed. */
export const secretField = z
  .string()
  .transform((template, context) => {
    const parsed = toSecret(template);
    if (parsed.ok) return parsed.secret;
    context.addIssue({ code: 'custom', message: parsed.message });
    return z.NEVER;
  })
  .meta({ writeOnly: true });

/** Marks a key that is read at the start only; all other keys take effect when the file is reloaded. */
export const atStart = <Schema extends z.ZodType>(schema: Schema): Schema => schema.meta({ 'x-reload': 'restart' });
