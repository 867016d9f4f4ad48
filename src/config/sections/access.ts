import { z } from 'zod';
import { defaults } from '../defaults.js';
import { atStart, stringList, identifier, secretField } from '../../lib/config-fields.js';

/** A glob pattern: `*` matches any text, `?` one character. */
const pattern = z.string().min(1).max(256);
const patterns = z.array(pattern).default([]);

/** A named subset of the tools. */
const profile = z.strictObject({
  tools: patterns.describe('Patterns of tool names in this profile.'),
  sources: patterns.describe('Patterns of sources whose tools, prompts and resources are in this profile.'),
  labels: patterns.describe('Patterns of labels; a tool with one of them is in this profile.'),
  exclude: patterns.describe('Patterns of tool names to exclude; takes precedence over the lists above.'),
  search: z
    .boolean()
    .default(false)
    .describe('Offer `search_tools`, `describe_tool` and `call_tool` instead of all definitions; see `tool.search`.'),
});

/** Restrictions of a role. */
const role = z.strictObject({
  profiles: z
    .array(identifier)
    .default([])
    .describe('The only profiles that members of the role may use; empty means no restriction.'),
});

/** A rate or budget across several tools. */
const limit = z
  .strictObject({
    id: identifier.describe('Id of the limit, shown when it is reached.'),
    principals: patterns.describe('Patterns of principals whose calls count; empty means all.'),
    roles: stringList([]).describe('Only calls of members of these roles count; empty means all.'),
    tools: patterns.describe('Patterns of tools whose calls count; empty means all.'),
    calls_per_minute: z.exactOptional(z.number().positive()).describe('Maximum calls per minute.'),
    calls_per_day: z.exactOptional(z.int().positive()).describe('Maximum calls in 24 hours from the first call.'),
    shared: z.boolean().default(false).describe('Count all callers together instead of separately.'),
  })
  .refine((one) => one.calls_per_minute !== undefined || one.calls_per_day !== undefined, {
    message: 'needs calls_per_minute or calls_per_day',
  });

/** Which tools a caller can see and use, and how often. */
export const access = z
  .strictObject({
    profiles: z
      .record(identifier, profile)
      .default({})
      .describe('Named subsets of the tools, each served at `<mcp_path>/p/<name>` and `/tools?profile=<name>`.'),
    roles: z.record(identifier, role).default({}).describe('Restrictions by role.'),
    local_profile: atStart(
      z.exactOptional(identifier).describe('The profile of the local user, over stdio and in the CLI.'),
    ),
    limits: z.array(limit).default([]).describe('Rates and budgets in addition to those of each tool.'),
  })
  .prefault({})
  .describe('Which tools a caller can see and use, and how often.');

/** Defaults of this section. */
const p = defaults.policy.confirmation;
/** Values that a condition can compare with. */
const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);

/** Condition on one argument; all of its keys must hold. */
const condition = z.strictObject({
  equals: z.exactOptional(scalar).describe('Exactly this value.'),
  one_of: z.exactOptional(z.array(scalar).min(1)).describe('One of these values.'),
  glob: z.exactOptional(z.array(pattern).min(1)).describe('A string that matches one of these patterns.'),
  cidr: z
    .exactOptional(z.array(z.string().min(1)).min(1))
    .describe('An address or network inside one of these networks.'),
  domain: z
    .exactOptional(z.array(z.string().min(1)).min(1))
    .describe('A host, or a URL on a host, that is one of these names or below one written as `*.name`.'),
  path_prefix: z
    .exactOptional(z.array(z.string().min(1)).min(1))
    .describe('A path that is one of these folders or inside one, after `.` and `..` are resolved.'),
  min: z.exactOptional(z.number()).describe('A number of at least this.'),
  max: z.exactOptional(z.number()).describe('A number of at most this.'),
  min_length: z.exactOptional(z.int().min(0)).describe('A string or list of at least this length.'),
  max_length: z.exactOptional(z.int().min(0)).describe('A string or list of at most this length.'),
  optional: z.boolean().default(false).describe('A missing argument matches as well.'),
});

/** One rule of the policy. */
const rule = z.strictObject({
  id: identifier.describe('Shown in refusals and in the audit.'),
  action: z.enum(['allow', 'deny', 'confirm']).describe('What happens to a matching call.'),
  confirm: z
    .enum(['caller', 'operator'])
    .default('caller')
    .describe('Who must approve: the user of the client, or an operator other than the caller.'),
  principals: patterns.describe('Patterns of principal ids, such as `key:ci` or `jwt:corp:*`.'),
  roles: stringList([]).describe('Any of these roles.'),
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
    .describe('The call came through one of these doors (transports).'),
  args: z
    .record(z.string().min(1).max(200), condition)
    .default({})
    .describe('Conditions on arguments by name; `a.b` is field b of a.'),
  when: z
    .exactOptional(z.string().min(1).max(2_000))
    .describe('A CEL expression over `call`, `tool`, `principal`, `args` and `session`.'),
  reason: z.exactOptional(z.string().max(500)).describe('Shown to the caller who is refused or asked.'),
  hint: z.exactOptional(z.string().max(500)).describe('Shown to the caller: what to do instead.'),
});

/** Where approval requests are sent. */
const webhook = z.strictObject({
  url: z
    .url({ protocol: /^https?$/ })
    .describe('Receives one POST per request and per decision; https, or http on this machine.'),
  secret: secretField.describe(
    'Key of the HMAC-SHA256 signature, as `${secret:NAME}` or `${NAME}`; at least 16 characters.',
  ),
  network_policy: z
    .exactOptional(identifier)
    .describe('Network policy for its addresses; by default `public`, or `loopback` on this machine.'),
  attempts: z.int().min(1).max(10).default(5).describe('Attempts of one delivery, with exponential back-off.'),
});

/** Which calls are allowed. */
export const policy = z
  .strictObject({
    rules: z
      .array(rule)
      .max(500)
      .default([])
      .describe(
        'The first matching rule decides. Without rules every call is allowed; with rules, a call that no rule matches is denied.',
      ),
    confirmation: z
      .strictObject({
        effects: z
          .array(z.enum(['writes', 'destroys', 'open_world']))
          .default([...p.effects])
          .describe('Effects that need an approval even if a rule allows the call.'),
        ttl_seconds: z
          .number()
          .default(p.ttl_seconds)
          .describe('How long a question can be answered and an approval be used.'),
        ticket_seconds: z.number().default(p.ticket_seconds).describe('How long a ticket waits for an operator.'),
        wait_seconds: z
          .number()
          .default(p.wait_seconds)
          .describe('How long a call waits for an operator before the client must retry.'),
        self_approval: z
          .boolean()
          .default(p.self_approval)
          .describe('Allow a caller who is an operator to approve their own tickets.'),
        webhook: z.exactOptional(webhook).describe('Sends approval requests and decisions to a URL, signed.'),
      })
      .prefault({})
      .describe('How approvals are requested.'),
  })
  .prefault({})
  .describe('Which calls are allowed.');

/** Defaults of this section. */
const f = defaults.flows;

/** A rule about calls that follow each other. */
const flow = z.strictObject({
  id: identifier.describe('Shown in refusals and in the audit.'),
  after: z.array(pattern).min(1).describe('After a call to a tool with any of these labels …'),
  to: z.array(pattern).min(1).describe('… calls to tools with any of these labels are'),
  action: z.enum(['deny', 'confirm']).default('confirm').describe('denied, or need an approval.'),
  confirm: z.enum(['caller', 'operator']).default('caller').describe('Who must approve.'),
  reason: z.exactOptional(z.string().max(500)).describe('Shown to the caller who is refused or asked.'),
});

/** Which calls may follow each other. */
export const flows = z
  .strictObject({
    derive: z
      .boolean()
      .default(f.derive)
      .describe('Derive labels from effects: open-world tools get `egress:external` and `untrusted:content`.'),
    labels: z
      .record(
        pattern,
        z.array(z.string().regex(/^-?[a-z0-9][a-z0-9:._-]{0,63}$/, 'must be a label such as reads:private')),
      )
      .default({})
      .describe('Labels by pattern of tool names; a leading `-` removes a label.'),
    rules: z.array(flow).max(100).default([]).describe('Combinations that need an approval or are denied.'),
    conversations: z
      .enum(['session', 'principal'])
      .default(f.conversations)
      .describe(
        'Scope of remembered labels: one MCP session or conversation handle (the principal if there is neither), or all calls of a principal.',
      ),
    remember_seconds: z
      .number()
      .default(f.remember_seconds)
      .describe('How long labels are remembered after the last call.'),
    max_conversations: z
      .int()
      .default(f.max_conversations)
      .describe('Maximum number of conversations remembered; the oldest is evicted first.'),
  })
  .prefault({})
  .describe('Which calls may follow each other.');

/** Defaults of this section. */
const o = defaults.output;

/** How results are processed before they are returned. */
export const output = z
  .strictObject({
    clean: z
      .enum(['full', 'controls'])
      .default(o.clean)
      .describe('Remove ANSI, control, bidirectional and invisible characters; `controls` keeps the last two.'),
    secrets: z
      .boolean()
      .default(o.secrets)
      .describe('Redact known secret formats and the secrets of this configuration.'),
    injection: z
      .enum(['off', 'flag', 'block', 'confirm'])
      .default(o.injection)
      .describe('What to do with a result that contains prompt injection.'),
    envelope: z
      .enum(['off', 'flagged', 'untrusted', 'always'])
      .default(o.envelope)
      .describe('Which texts are wrapped in marker lines with a random boundary, source, tool and trust level.'),
    trusted_sources: patterns.describe(
      'Patterns of sources whose results and statements about effects count as trusted.',
    ),
    keep_seconds: z
      .number()
      .default(o.keep_seconds)
      .describe('How long the remainder of a truncated result can be read by its link.'),
  })
  .prefault({})
  .describe('How results are processed before they are returned.');
