import type { Args } from '../../core/call.js';
import type { Json } from '../../core/json.js';
import type { Contract, Parsed } from '../../core/tool.js';
import type { CommandDefinition } from './definition.js';
import { foldExtraArgs, type Folded } from './extra-args.js';
import { inputSchema, maxTargetLength } from './input-schema.js';
import { objected, type Objection } from './refusals.js';
import { lru } from '../../lib/lru.js';
import { combined, type Given } from './combine.js';
import { targetOf, type TargetJudge } from './target.js';
import { readValue, type FlagValue } from './values.js';

/** What decides about an input besides the manifest; read anew at each call, since the operator may change it. */
export interface InputRules {
  readonly judge: TargetJudge;
  readonly intrusive: () => boolean;
  readonly privileged: boolean;
  readonly maxArgsLength: number;
  readonly maxTimeoutSec: number;
}

/** A contract that forgets what it has learned when asked to. */
export interface CommandContract extends Contract<Args> {
  clear(): void;
}

const correlationId = /^[A-Za-z0-9._:-]{1,64}$/;
const controls = /[\0-\x1f\x7f-\x9f]/;
const rememberedExtraArgs = 256;

interface Syntax {
  readonly target: string;
  readonly template: string | undefined;
  readonly given: Given;
  readonly plain: Args;
  readonly timeoutMs: number | undefined;
}

/** The input of one command: syntax, then semantics, then permission; the first objection is the answer. */
export function commandContract(definition: CommandDefinition, rules: InputRules): CommandContract {
  const { manifest } = definition;
  const fold = foldExtraArgs(manifest.flags, rules.maxArgsLength);
  const folds = lru<string, Folded>(rememberedExtraArgs);

  const remembered = (text: string): Folded => {
    const known = folds.get(text);
    if (known !== undefined) return known;
    const folded = fold(text);
    folds.set(text, folded);
    return folded;
  };

  return {
    schema: inputSchema(manifest, rules.maxArgsLength, rules.maxTimeoutSec),
    clear: () => folds.clear(),
    parse(value) {
      const syntax = readSyntax(definition, remembered, value);
      if ('stage' in syntax) return objected(syntax);
      const values = combined(manifest, syntax.given, syntax.template);
      if ('stage' in values) return objected(values);
      return judged(definition, rules, syntax, values.values, values.applied);
    },
  };
}

function readSyntax(definition: CommandDefinition, fold: (text: string) => Folded, value: unknown): Syntax | Objection {
  const { flags, target, templates, extra_args: takesExtra } = definition.manifest;
  const wrong = (field: string, message: string, given?: unknown, example?: string): Objection => ({
    stage: 'syntax',
    field,
    message,
    ...(given !== undefined && { value: given }),
    ...(example !== undefined && { example }),
  });
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return wrong('arguments', 'must be an object');
  const given = new Map<string, FlagValue>();
  const plain: Record<string, Json> = {};
  let folded: Folded | undefined;
  for (const [name, item] of Object.entries(value as Readonly<Record<string, unknown>>)) {
    if (item === undefined) continue;
    const text = typeof item === 'string' ? item : undefined;
    const flag = Object.hasOwn(flags, name) ? flags[name] : undefined;
    if (flag !== undefined) {
      const reading = readValue(flag, item);
      if (!reading.ok) return { ...wrong(name, reading.message, item, reading.example), expected: reading.expected };
      given.set(name, reading.value);
    } else if (name === 'target' && target.kind !== 'none') {
      const longest = maxTargetLength(target.kind);
      if (text === undefined || text === '' || text.length > longest)
        return wrong(name, `must be text of 1 to ${longest} characters`, item, '192.168.1.10');
      if (controls.test(text)) return wrong(name, 'contains control characters', text, '192.168.1.10');
    } else if (name === 'extra_args' && takesExtra) {
      if (text === undefined) return wrong(name, 'must be text', item);
      folded = fold(text);
      if (!folded.ok) return folded.objection;
    } else if (name === 'template' && Object.keys(templates).length > 0) {
      if (text === undefined || !Object.hasOwn(templates, text))
        return wrong(name, `must be one of ${Object.keys(templates).join(', ')}`, item, Object.keys(templates)[0]);
      plain[name] = text;
    } else if (name === 'timeout_sec') {
      if (typeof item !== 'number' || !(item >= 0.1 && item <= 3600))
        return wrong(name, 'must be a number from 0.1 to 3600', item, '30');
      plain[name] = item;
    } else if (name === 'correlation_id') {
      if (text === undefined || !correlationId.test(text))
        return wrong(name, 'must be 1 to 64 letters, digits, or . _ : -', item, 'req-42');
      plain[name] = text;
    } else if (name === 'dry_run') {
      if (typeof item !== 'boolean') return wrong(name, 'must be true or false', item, 'true');
      plain[name] = item;
    } else
      return wrong(
        name.slice(0, 64),
        'is not an argument of this tool',
        undefined,
        Object.keys(flags).slice(0, 8).join(', '),
      );
  }
  for (const [name, item] of folded?.ok ? folded.values : []) {
    if (given.has(name)) return wrong('extra_args', `gives ${name}, which is given as a property too`);
    given.set(name, item);
  }
  const named = (value as { readonly target?: unknown }).target;
  if (target.kind !== 'none' && typeof named !== 'string')
    return wrong('target', 'is required', undefined, '192.168.1.10');
  const seconds = plain['timeout_sec'];
  return {
    target: typeof named === 'string' ? named : '',
    template: typeof plain['template'] === 'string' ? plain['template'] : undefined,
    given,
    plain,
    timeoutMs: typeof seconds === 'number' ? Math.ceil(seconds * 1000) : undefined,
  };
}

async function judged(
  definition: CommandDefinition,
  rules: InputRules,
  syntax: Syntax,
  values: Given,
  applied: readonly string[],
): Promise<Parsed<Args>> {
  const later: Objection[] = [];
  const { manifest, checks = {} } = definition;
  const allowed = { intrusive: rules.intrusive() };
  for (const [name, value] of values) {
    const check = checks[name];
    const objection = check === undefined ? undefined : await check(value, allowed);
    if (objection?.stage === 'semantics') return objected({ ...objection, field: name, value });
    if (objection !== undefined) later.push(gated(name, objection.message, value));
    const flag = manifest.flags[name];
    if (value === false || flag === undefined) continue;
    if (flag.needs.includes('intrusive') && !allowed.intrusive)
      later.push(
        gated(
          name,
          `${flag.flag[0] ?? name} is intrusive, and security.allow_intrusive (MCP_SECURITY_ALLOW_INTRUSIVE) is off`,
          value,
        ),
      );
    if (flag.needs.includes('privileged') && !rules.privileged)
      later.push({
        stage: 'permission',
        field: name,
        code: 'permission_denied',
        message: `${flag.flag[0] ?? name} needs the gateway to run as root`,
      });
    if (flag.type === 'address') {
      const vetted = await rules.judge.vet('host', String(value), manifest.target.policy);
      if (!vetted.ok)
        later.push({
          stage: 'permission',
          field: name,
          message: vetted.reason,
          value,
          ...(vetted.hint !== undefined && { hint: vetted.hint }),
        });
    }
  }
  const target = await targetOf(manifest, syntax.target, rules.judge);
  if (!target.ok && target.objection.stage === 'semantics') return objected(target.objection);
  const [first] = later;
  if (first !== undefined) return objected(first);
  if (!target.ok) return objected(target.objection);
  return {
    ok: true,
    value: { ...target.args, ...Object.fromEntries(values), ...syntax.plain, ...(applied.length > 0 && { applied }) },
    ...(syntax.timeoutMs !== undefined && { timeoutMs: syntax.timeoutMs }),
  };
}

const gated = (field: string, message: string, value: FlagValue): Objection => ({
  stage: 'permission',
  field,
  message,
  value,
  code: 'policy_denied',
  hint: 'An operator can set security.allow_intrusive: true (MCP_SECURITY_ALLOW_INTRUSIVE=true)',
});
