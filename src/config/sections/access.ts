import { z } from 'zod';
import { defaults } from '../defaults.js';
import { list, name } from './words.js';

/** A pattern in which `*` stands for any text and `?` for one character. */
export const pattern = z.string().min(1).max(256);
export const patterns = z.array(pattern).default([]);

const profile = z.strictObject({
  tools: patterns.describe('Patterns of tool names that belong to it.'),
  sources: patterns.describe('Patterns of sources whose tools, prompts and resources belong to it.'),
  labels: patterns.describe('Patterns of labels; a tool with one of them belongs to it.'),
  exclude: patterns.describe('Patterns of tool names that do not, whatever is said above.'),
});

const role = z.strictObject({
  profiles: z.array(name).default([]).describe('The only profiles its members may use; empty binds nobody.'),
});

const limit = z
  .strictObject({
    id: name.describe('Shown when it is reached.'),
    principals: patterns.describe('Whose calls count; empty means everybody.'),
    roles: list([]).describe('Members of any of these roles; empty means everybody.'),
    tools: patterns.describe('Calls of which tools count; empty means all.'),
    calls_per_minute: z.exactOptional(z.number().positive()).describe('A rate.'),
    calls_per_day: z.exactOptional(z.int().positive()).describe('A budget for 24 hours from the first call.'),
    shared: z.boolean().default(false).describe('Count all callers together instead of each by itself.'),
  })
  .refine((one) => one.calls_per_minute !== undefined || one.calls_per_day !== undefined, {
    message: 'needs calls_per_minute or calls_per_day',
  });

/** Which part of the tools a caller sees and may use, and how often. */
export const access = z
  .strictObject({
    profiles: z
      .record(name, profile)
      .default({})
      .describe('Named subsets of the tools, each served at `<mcp_path>/p/<name>` and `/tools?profile=<name>`.'),
    roles: z.record(name, role).default({}).describe('What roles are bound to.'),
    local_profile: z
      .exactOptional(name)
      .describe('The profile of the user at this machine, over stdio and in the CLI.'),
    limits: z.array(limit).default([]).describe('Rates and budgets besides those of each tool.'),
  })
  .prefault({})
  .describe('Which part of the tools a caller sees and may use, and how often.');

const p = defaults.policy.confirmation;
const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);

const condition = z.strictObject({
  equals: z.exactOptional(scalar).describe('Exactly this value.'),
  one_of: z.exactOptional(z.array(scalar).min(1)).describe('One of these values.'),
  glob: z.exactOptional(z.array(pattern).min(1)).describe('A text that fits one of these patterns.'),
  cidr: z
    .exactOptional(z.array(z.string().min(1)).min(1))
    .describe('An address or network inside one of these networks.'),
  domain: z
    .exactOptional(z.array(z.string().min(1)).min(1))
    .describe('A host, or a URL on a host, that is one of these names or below one written as `*.name`.'),
  path_prefix: z
    .exactOptional(z.array(z.string().min(1)).min(1))
    .describe('A path that is one of these folders or inside one, after `.` and `..` are resolved.'),
  min: z.exactOptional(z.number()).describe('A number not below this.'),
  max: z.exactOptional(z.number()).describe('A number not above this.'),
  min_length: z.exactOptional(z.int().min(0)).describe('A text or list not shorter.'),
  max_length: z.exactOptional(z.int().min(0)).describe('A text or list not longer.'),
  optional: z.boolean().default(false).describe('An absent argument fits as well.'),
});

const rule = z.strictObject({
  id: name.describe('Shown in refusals and in the audit.'),
  action: z.enum(['allow', 'deny', 'confirm']).describe('What becomes of a call that fits.'),
  confirm: z
    .enum(['caller', 'operator'])
    .default('caller')
    .describe('Who must agree: whoever sits at the client, or an operator who is not the caller.'),
  principals: patterns.describe('Patterns of principal ids, such as `key:ci` or `jwt:corp:*`.'),
  roles: list([]).describe('Any of these roles.'),
  tools: patterns.describe('Patterns of tool names.'),
  sources: patterns.describe('Patterns of sources.'),
  labels: patterns.describe('Patterns of labels of the tool.'),
  effects: z
    .array(z.enum(['reads', 'writes', 'destroys', 'open_world']))
    .default([])
    .describe('The tool has any of these effects.'),
  doors: z
    .array(z.enum(['stdio', 'http', 'rest', 'console', 'cli']))
    .default([])
    .describe('The call came through one of these doors.'),
  args: z
    .record(z.string().min(1).max(200), condition)
    .default({})
    .describe('What arguments must be, by name; `a.b` is the field b of a.'),
  when: z
    .exactOptional(z.string().min(1).max(2_000))
    .describe('A CEL expression over `call`, `tool`, `principal`, `args` and `session`.'),
  reason: z.exactOptional(z.string().max(500)).describe('Told to whom is refused or asked.'),
  hint: z.exactOptional(z.string().max(500)).describe('What the caller may do instead.'),
});

/** Which calls are allowed. */
export const policy = z
  .strictObject({
    rules: z
      .array(rule)
      .max(500)
      .default([])
      .describe(
        'The first rule that fits decides. Without rules every call is allowed; with any, what no rule allows is denied.',
      ),
    confirmation: z
      .strictObject({
        effects: z
          .array(z.enum(['writes', 'destroys', 'open_world']))
          .default([...p.effects])
          .describe('Effects that need a confirmation even where a rule allows.'),
        ttl_seconds: z
          .number()
          .default(p.ttl_seconds)
          .describe('How long a question can be answered and a grant be used.'),
        ticket_seconds: z.number().default(p.ticket_seconds).describe('How long a ticket waits for an operator.'),
        wait_seconds: z
          .number()
          .default(p.wait_seconds)
          .describe('How long a call waits for an operator before it is told to come back.'),
        self_approval: z
          .boolean()
          .default(p.self_approval)
          .describe('Let a caller who is an operator approve its own tickets.'),
      })
      .prefault({})
      .describe('How people are asked.'),
  })
  .prefault({})
  .describe('Which calls are allowed.');

const f = defaults.flows;

const flow = z.strictObject({
  id: name.describe('Shown in refusals and in the audit.'),
  after: z.array(pattern).min(1).describe('Once a call to a tool with any of these labels was made …'),
  to: z.array(pattern).min(1).describe('… calls to tools with any of these labels are'),
  action: z.enum(['deny', 'confirm']).default('confirm').describe('refused, or need a confirmation.'),
  confirm: z.enum(['caller', 'operator']).default('caller').describe('Who must agree.'),
  reason: z.exactOptional(z.string().max(500)).describe('Told to whom is refused or asked.'),
});

/** Which calls may follow each other. */
export const flows = z
  .strictObject({
    derive: z
      .boolean()
      .default(f.derive)
      .describe(
        'Give tools labels by their effects: `egress:external` and `untrusted:content` to those of the open world.',
      ),
    labels: z
      .record(
        pattern,
        z.array(z.string().regex(/^-?[a-z0-9][a-z0-9:._-]{0,63}$/, 'must be a label such as reads:private')),
      )
      .default({})
      .describe('Labels by pattern of tool names; one with a leading `-` is taken away.'),
    rules: z.array(flow).max(100).default([]).describe('Combinations that need a confirmation or are forbidden.'),
    conversations: z
      .enum(['session', 'principal'])
      .default(f.conversations)
      .describe(
        'What is remembered together: calls of one MCP session or conversation handle (of the principal where there is neither), or all calls of a principal.',
      ),
    remember_seconds: z
      .number()
      .default(f.remember_seconds)
      .describe('How long labels are remembered after the last call.'),
    max_conversations: z
      .int()
      .default(f.max_conversations)
      .describe('Conversations remembered; the oldest is forgotten first.'),
  })
  .prefault({})
  .describe('Which calls may follow each other.');

const o = defaults.output;

/** What happens to results on their way back. */
export const output = z
  .strictObject({
    clean: z
      .enum(['full', 'controls'])
      .default(o.clean)
      .describe('Take out ANSI, control, bidirectional and invisible characters; `controls` keeps the last two.'),
    secrets: z
      .boolean()
      .default(o.secrets)
      .describe('Redact known secret formats and the secrets of this configuration.'),
    injection: z
      .enum(['off', 'flag', 'block', 'confirm'])
      .default(o.injection)
      .describe('What to do with a result that gives orders to the model.'),
    envelope: z
      .enum(['off', 'flagged', 'untrusted', 'always'])
      .default(o.envelope)
      .describe('Which texts are put between lines with a random mark that name source, tool and trust.'),
    trusted_sources: patterns.describe('Patterns of sources whose results count as trusted.'),
    keep_seconds: z
      .number()
      .default(o.keep_seconds)
      .describe('How long the rest of a cut result can be read by its link.'),
  })
  .prefault({})
  .describe('What happens to results on their way back.');
