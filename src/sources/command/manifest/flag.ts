import { z } from 'zod';
import { anchoredPattern } from './pattern.js';

const flagSpelling = z
  .string()
  .regex(/^(?:-{1,2}|\+)[A-Za-z0-9][A-Za-z0-9_-]{0,39}$|^@$/, 'must be one flag such as -c, --count or +short');

/** Argument name as shown to the model. */
export const propertyName = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,39}$/, 'must be lower case letters, digits and _, beginning with a letter');

const scalarSchema = z.union([z.string(), z.number(), z.boolean()]);

/** One flag of a command: its spellings and the values it accepts. */
export const flagSchema = z
  .strictObject({
    /** The first spelling is passed to the program; all are accepted in `extra_args`. Empty: the value is used in `target.form`. */
    flag: z.union([flagSpelling.transform((one) => [one]), z.array(flagSpelling).max(4)]).default([]),
    type: z.enum(['boolean', 'integer', 'number', 'string', 'enum', 'ports', 'address', 'list']),
    description: z.string().max(400).optional(),
    min: z.number().min(0).optional(),
    max: z.number().min(0).optional(),
    values: z
      .array(
        z
          .string()
          .regex(/^[^-].*$/s, 'must not begin with a hyphen')
          .max(64),
      )
      .min(1)
      .max(200)
      .optional(),
    pattern: z.string().max(400).optional(),
    max_length: z.int().min(1).max(2048).default(128),
    max_items: z.int().min(1).max(100).default(10),
    /** How the value is attached: `-c 4`, `--time=3` or `-T4`. */
    form: z.enum(['separate', 'equals', 'attached']).default('separate'),
    /** For a boolean: fixed words to pass instead of the spelling. */
    passes: z
      .array(z.string().regex(/^[\x20-\x7e]{1,256}$/))
      .min(1)
      .max(4)
      .optional(),
    repeatable: z.boolean().default(false),
    required: z.boolean().default(false),
    default: z.union([scalarSchema, z.array(scalarSchema)]).optional(),
    /** The default is skipped if one of these arguments is given. */
    default_unless: z.array(propertyName).default([]),
    /** Arguments that conflict with this one. */
    excludes: z.array(propertyName).default([]),
    /** Preconditions: the operator's `security.allow_intrusive`, or root. */
    needs: z.array(z.enum(['intrusive', 'privileged'])).default([]),
    example: z.string().max(64).optional(),
  })
  .superRefine((flag, context) => {
    const wrong = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
    if (flag.type === 'integer' || flag.type === 'number') {
      if (flag.min === undefined || flag.max === undefined)
        wrong('type', `a flag of type ${flag.type} needs min and max`);
      else if (flag.min > flag.max) wrong('min', 'must not be above max');
    }
    if (flag.type === 'enum' && flag.values === undefined) wrong('type', 'a flag of type enum needs values');
    // A value without a rule is a hole in the allow-list: it could be a file path, a host or another flag (argument injection).
    if ((flag.type === 'string' || flag.type === 'list') && flag.values === undefined && flag.pattern === undefined) {
      wrong('type', `a flag of type ${flag.type} needs values or a pattern`);
    }
    if (flag.pattern !== undefined && !isValidPattern(flag.pattern))
      wrong('pattern', 'is not a valid JavaScript regular expression');
    if (flag.type !== 'boolean' && flag.passes !== undefined) wrong('passes', 'only a boolean flag passes fixed words');
    if (flag.type === 'boolean' && (flag.repeatable || flag.form !== 'separate'))
      wrong('type', 'a boolean flag has no value, so it cannot be repeatable or have a form');
  });

/** A flag with its defaults applied. */
export type Flag = z.output<typeof flagSchema>;

function isValidPattern(source: string): boolean {
  try {
    return anchoredPattern(source) instanceof RegExp;
  } catch {
    return false;
  }
}
