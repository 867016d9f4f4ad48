import { hiddenReason } from '../../access/configured/hidden-reason.js';
import { flagsLayer } from '../../config/layers.js';
import type { Args } from '../../core/call.js';
import type { JsonObject } from '../../core/json.js';
import { hypotheticalPrincipal } from '../../transports/http/explain.js';
import { parseCallArguments } from '../call-arguments.js';
import { didYouMean, parseCommandLine, usageError } from '../command-line.js';
import { runningGate, type GateClient } from '../gate-client.js';
import type { Io } from '../io.js';
import { localGate } from '../local-gate.js';

export const help = `Usage: toolgate explain [--as PRINCIPAL] [--role ROLE ...] [--profile PROFILE] [--door DOOR] <tool> [name=value ...] [--args '{"json":"object"}'] [--json] [--config file]

Shows what would happen to a call: the rule that decides, rules that almost match, who would be asked for approval, and the
limits that apply. Nothing is run. The running gate of this configuration answers if there is one; with --alone, or without one, the
sources are started here.

  --as         principal to check, such as key:ci, token:backup, owner or jwt:corp:alice (default: you)
  --role       its role, repeatable; needed for principals that are not in the configuration, such as those of an issuer
  --profile    its profile
  --door       how the call arrives: stdio, http, rest, console or cli (default http)
`;

/** Explains the decision about a call without running it. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const wrong = (message: string): number => usageError('explain', message, io);
  const parsed = parseCommandLine('explain', flagsLayer(argv).rest, explainOptions, io);
  if (parsed === undefined) return 2;
  const { values, positionals } = parsed;
  const [tool, ...pairs] = positionals;
  if (tool === undefined) return wrong('no tool given; toolgate tools lists them');
  const args: Args | string = parseCallArguments(values.args, pairs);
  if (typeof args === 'string') return wrong(args);
  const door = doors.find((name) => name === (values.door ?? 'http'));
  if (door === undefined)
    return wrong(`--door must be one of ${doors.join(', ')}${didYouMean(values.door ?? '', doors)}`);
  const asked: Asked = {
    tool,
    args,
    door,
    ...(values.as !== undefined && { as: values.as }),
    ...(values.role !== undefined && { roles: values.role }),
    ...(values.profile !== undefined && { profile: values.profile }),
  };
  const running = await runningGate(argv, io);
  // The running gate has sessions and limits; a local one has the rules only.
  const explanation = running === undefined ? await explainHere(asked, argv, io) : await explainThere(asked, running);
  if (typeof explanation === 'number') return explanation;
  if (typeof explanation === 'string') return wrong(explanation);
  io.out(values.json === true ? `${JSON.stringify(explanation, null, 2)}\n` : explanationText(explanation));
  return explanation['decision'] === 'allow' || explanation['decision'] === 'confirm' ? 0 : 3;
}

/** A hypothetical call. */
interface Asked {
  readonly tool: string;
  readonly args: Args;
  readonly door: (typeof doors)[number];
  readonly as?: string;
  readonly roles?: readonly string[];
  readonly profile?: string;
}

/** The answer of the running gate; a text is a mistake in the question. */
async function explainThere(asked: Asked, gate: GateClient): Promise<JsonObject | string> {
  // The owner of a gate is the local user, who is the default.
  const { status, body = {} } = await gate.request('POST', '/explain', asked);
  // Routes answer with JSON.
  return status === 200 ? (body as JsonObject) : String(body['error'] ?? `the gate returned HTTP status ${status}`);
}

/** The answer of a gate in this process; a number is an exit code, a text a mistake in the question. */
async function explainHere(asked: Asked, argv: readonly string[], io: Io): Promise<JsonObject | string | number> {
  const local = await localGate(argv, io);
  if (!local.ok) return 1;
  const { gate, user } = local;
  const { tool: name, args, door, as, roles, profile } = asked;
  try {
    const principal = as === undefined ? user : (gate.callers().known(as) ?? hypotheticalPrincipal(as, roles));
    if (principal === undefined)
      return `unknown principal ${JSON.stringify(as)}; for a caller of an issuer, add --role`;
    const view = { principal, ...(profile !== undefined && { profile }) };
    const tool = gate.gateway.statuses(view).find((status) => status.tool.name === name)?.tool;
    return tool === undefined
      ? { decision: 'hidden', message: hiddenReason(name, view, gate.registry, gate.rules()) }
      : await gate.rules().explain({ principal, tool, args, via: door, showsAllRules: true });
  } finally {
    await gate.close(1_000);
  }
}

/** Options of this verb. */
const explainOptions = {
  as: { type: 'string' },
  role: { type: 'string', multiple: true },
  profile: { type: 'string' },
  door: { type: 'string' },
  args: { type: 'string' },
  alone: { type: 'boolean' },
} as const;

/** Doors that rules can distinguish. */
const doors = ['stdio', 'http', 'rest', 'console', 'cli'] as const;

/** The explanation for people: the decision first, then what nearly matched. */
function explanationText(explanation: JsonObject): string {
  const { decision, rule, message, hint, asks, reason, almost, limits, problems } = explanation;
  // The answer may come from an older gate, so its shape is checked.
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
