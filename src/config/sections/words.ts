import { z } from 'zod';
import { secretText as toSecret } from '../secrets.js';

/** The names that tools, sources, policies and prompts may have. */
export const name = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, _ or -');

/** A list of non-empty texts. */
export const list = (given: readonly string[]) => z.array(z.string().min(1)).default([...given]);

/** A text that may hold `${NAME}` references and redacts itself wherever it is printed. */
export const secret = z
  .string()
  .transform((template, context) => {
    const made = toSecret(template);
    if (made.ok) return made.secret;
    context.addIssue({ code: 'custom', message: made.message });
    return z.NEVER;
  })
  .meta({ writeOnly: true });
