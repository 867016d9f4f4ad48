import { parseArgs } from 'node:util';
import type { Args } from '../core/call.js';
import type { JsonObject } from '../core/json.js';
import type { Principal } from '../core/principal.js';
import { argumentsOf } from './arguments.js';
import type { Io } from './io.js';
import { localGate } from './local-gate.js';

export const help = `Usage: toolgate explain [--as PRINCIPAL] [--role ROLE ...] [--profile PROFILE] [--door DOOR] <tool> [name=value ...] [--args '{"json":"object"}'] [--json] [--config file]

Says what would become of a call: the rule that decides, the rules that almost apply, who would be asked, and which limits
count. Nothing is run. Without --as it is about you; --as takes a principal id such as key:ci, token:backup, owner or
jwt:corp:alice. For one that only its issuer knows, say which roles it has with --role.

Exit codes: 0 the call would be allowed or asked about, 3 it would be refused, 2 the command line is wrong.
`;

/** Explains one call that is not made. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const opened = await localGate(argv, io);
  if (!opened.ok) return 1;
  const { gate, user, rest } = opened;
  const wrong = (why: string): number => {
    io.err(`toolgate explain: ${why}\n`);
    return 2;
  };
  try {
    const { values, positionals } = parseArgs({
      args: [...rest],
      allowPositionals: true,
      options: {
        as: { type: 'string' },
        role: { type: 'string', multiple: true },
        profile: { type: 'string' },
        door: { type: 'string' },
        args: { type: 'string' },
        json: { type: 'boolean' },
      },
    });
    const [name, ...pairs] = positionals;
    if (name === undefined) return wrong('which tool? toolgate tools lists them');
    const args: Args | string = argumentsOf(values.args, pairs);
    if (typeof args === 'string') return wrong(args);
    const door = doors.find((each) => each === (values.door ?? 'http'));
    if (door === undefined) return wrong(`--door must be one of ${doors.join(', ')}`);
    const principal =
      values.as === undefined ? user : (gate.callers().known(values.as) ?? supposed(values.as, values.role));
    if (principal === undefined)
      return wrong(`nobody is known as ${values.as}; for a caller of an issuer give --role as well`);
    const view = { principal, ...(values.profile !== undefined && { profile: values.profile }) };
    const tool = gate.gateway.statuses(view).find((status) => status.tool.name === name)?.tool;
    const told: JsonObject =
      tool === undefined
        ? {
            decision: 'hidden',
            message: gate.registry.catalogue().tools.has(name)
              ? `${principal.id} does not see ${name}: its profile leaves it out, or no rule could allow it`
              : `There is no tool ${name}`,
          }
        : await gate.rules().explain({ principal, tool, args, via: door });
    io.out(values.json === true ? `${JSON.stringify(told, null, 2)}\n` : lines(told));
    return told['decision'] === 'allow' || told['decision'] === 'confirm' ? 0 : 3;
  } finally {
    await gate.close(1_000);
  }
}

const doors = ['stdio', 'http', 'rest', 'console', 'cli'] as const;

const supposed = (id: string, roles: readonly string[] | undefined): Principal | undefined =>
  roles === undefined ? undefined : { id, name: id, kind: id.startsWith('jwt:') ? 'jwt' : 'token', roles };

function lines(told: JsonObject): string {
  const { decision, rule, message, hint, asks, reason, almost, limits, problems } = told;
  const rows = (value: unknown, row: (item: Readonly<Record<string, unknown>>) => string): string[] =>
    Array.isArray(value) ? value.map((item: Readonly<Record<string, unknown>>) => row(item)) : [];
  return [
    `${String(decision)}${rule === undefined ? '' : ` by ${String(rule)}`}`,
    ...[message, hint, reason].flatMap((text) => (typeof text === 'string' ? [`  ${text}`] : [])),
    ...(asks === undefined ? [] : [`  asks the ${String(asks)}`]),
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
