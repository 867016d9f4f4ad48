import type { Args } from '../core/call.js';
import type { JsonObject } from '../core/json.js';
import type { Principal } from '../core/principal.js';
import { parseCallArguments } from './call-arguments.js';
import { parseCommandLine, usageError } from './command-line.js';
import type { Io } from './io.js';
import { localGate } from './local-gate.js';

export const help = `Usage: toolgate explain [--as PRINCIPAL] [--role ROLE ...] [--profile PROFILE] [--door DOOR] <tool> [name=value ...] [--args '{"json":"object"}'] [--json] [--config file]

Shows what would happen to a call: the rule that decides, rules that almost match, who would be asked for approval, and the
limits that apply. Nothing is run.

  --as         principal to check, such as key:ci, token:backup, owner or jwt:corp:alice (default: you)
  --role       its role, repeatable; needed for principals that are not in the configuration, such as those of an issuer
  --profile    its profile
  --door       how the call arrives: stdio, http, rest, console or cli (default http)

Exit codes: 0 the call would be allowed or need approval, 2 wrong use, 3 it would be refused.
`;

/** Explains the decision about a call without running it. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const local = await localGate(argv, io);
  if (!local.ok) return 1;
  const { gate, user, rest } = local;
  const wrong = (message: string): number => usageError('explain', message, io);
  try {
    const parsed = parseCommandLine('explain', rest, explainOptions, io);
    if (parsed === undefined) return 2;
    const { values, positionals } = parsed;
    const [name, ...pairs] = positionals;
    if (name === undefined) return wrong('no tool given; toolgate tools lists them');
    const args: Args | string = parseCallArguments(values.args, pairs);
    if (typeof args === 'string') return wrong(args);
    const door = doors.find((name) => name === (values.door ?? 'http'));
    if (door === undefined) return wrong(`--door must be one of ${doors.join(', ')}`);
    const principal =
      values.as === undefined
        ? user
        : (gate.callers().known(values.as) ?? hypotheticalPrincipal(values.as, values.role));
    if (principal === undefined)
      return wrong(`unknown principal ${JSON.stringify(values.as)}; for a caller of an issuer, add --role`);
    const view = { principal, ...(values.profile !== undefined && { profile: values.profile }) };
    const tool = gate.gateway.statuses(view).find((status) => status.tool.name === name)?.tool;
    const explanation: JsonObject =
      tool === undefined
        ? {
            decision: 'hidden',
            message: gate.registry.catalogue().tools.has(name)
              ? `${principal.id} does not see ${name}: its profile excludes the tool, or no rule can allow it`
              : `Unknown tool ${name}`,
          }
        : await gate.rules().explain({ principal, tool, args, via: door, showsAllRules: true });
    io.out(values.json === true ? `${JSON.stringify(explanation, null, 2)}\n` : explanationText(explanation));
    return explanation['decision'] === 'allow' || explanation['decision'] === 'confirm' ? 0 : 3;
  } finally {
    await gate.close(1_000);
  }
}

const explainOptions = {
  as: { type: 'string' },
  role: { type: 'string', multiple: true },
  profile: { type: 'string' },
  door: { type: 'string' },
  args: { type: 'string' },
  json: { type: 'boolean' },
} as const;

const doors = ['stdio', 'http', 'rest', 'console', 'cli'] as const;

/** A principal that only its issuer can identify; its roles come from the command line. */
const hypotheticalPrincipal = (id: string, roles: readonly string[] | undefined): Principal | undefined =>
  roles === undefined ? undefined : { id, name: id, kind: id.startsWith('jwt:') ? 'jwt' : 'token', roles };

function explanationText(explanation: JsonObject): string {
  const { decision, rule, message, hint, asks, reason, almost, limits, problems } = explanation;
  const rows = (value: unknown, row: (item: Readonly<Record<string, unknown>>) => string): string[] =>
    Array.isArray(value) ? value.map((item: Readonly<Record<string, unknown>>) => row(item)) : [];
  return [
    `${String(decision)}${rule === undefined ? '' : ` by ${String(rule)}`}`,
    ...[message, hint, reason].flatMap((text) => (typeof text === 'string' ? [`  ${text}`] : [])),
    ...(asks === undefined ? [] : [`  needs approval by the ${String(asks)}`]),
    ...(Array.isArray(problems) ? problems.map((problem) => `  ${String(problem)}`) : []),
    ...rows(
      almost,
      (item) => `  almost: ${String(item['rule'])} (${String(item['action'])}), but ${String(item['but'])}`,
    ),
    ...rows(
      limits,
      (item) =>
        `  limit: ${Object.entries(item)
          .map(([key, value]) => `${key} ${String(value)}`)
          .join(', ')}`,
    ),
    '',
  ].join('\n');
}
