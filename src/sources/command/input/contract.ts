import { nearest } from '../../../lib/text/nearest.js';
import type { Args } from '../../../core/call.js';
import type { Json } from '../../../core/json.js';
import type { Contract, Parsed } from '../../../core/tool.js';
import type { CommandDefinition } from '../definition.js';
import { extraArgsParser, type ExtraArgsResult } from './extra-args.js';
import { inputSchema, maxTargetLength } from './schema.js';
import { reject, type Rejection } from './rejections.js';
import { lru } from '../../../lib/lru.js';
import { mergeFlags, type FlagValues } from './merge-flags.js';
import { parseTarget, resolveTarget, type TargetPolicy } from './target.js';
import { parseFlagValue, type FlagValue } from './flag-values.js';

/** Rules beyond the manifest; read on every call, since the operator may change them at run time. */
interface InputRules {
  readonly targetPolicy: TargetPolicy;
  readonly allowsIntrusive: () => boolean;
  readonly isRoot: boolean;
  readonly maxArgsLength: number;
  readonly maxTimeoutSec: number;
}

/** A contract with a cache that can be cleared. */
export interface CommandContract extends Contract<Args> {
  clear(): void;
}

/** Characters that are safe in log lines and in headers. */
const correlationId = /^[A-Za-z0-9._:-]{1,64}$/;
/** C0 and C1 controls and DEL: they rewrite terminals and end lines in logs (log injection). */
const controlCharacters = /[\0-\x1f\x7f-\x9f]/;
/** Models repeat the same flags; a bounded cache saves parsing them again. */
const extraArgsCacheSize = 256;

/** Input that has the right types, before rules across several flags are applied. */
interface ParsedSyntax {
  readonly target: string;
  readonly template: string | undefined;
  readonly given: FlagValues;
  readonly plain: Args;
  readonly timeoutMs: number | undefined;
}

/** Validates the input of a command in three stages (syntax, semantics, permission); the first failing stage is reported. */
export function commandContract(definition: CommandDefinition, rules: InputRules): CommandContract {
  const { manifest } = definition;
  const fold = extraArgsParser(manifest.flags, rules.maxArgsLength);
  const extraArgsCache = lru<string, ExtraArgsResult>(extraArgsCacheSize);

  const parseExtraArgs = (text: string): ExtraArgsResult => {
    const cached = extraArgsCache.get(text);
    if (cached !== undefined) return cached;
    const folded = fold(text);
    extraArgsCache.set(text, folded);
    return folded;
  };

  return {
    schema: inputSchema(manifest, rules.maxArgsLength, rules.maxTimeoutSec),
    clear: () => extraArgsCache.clear(),
    parse(value) {
      const syntax = parseSyntax(definition, parseExtraArgs, value);
      if ('stage' in syntax) return reject(syntax);
      const values = mergeFlags(manifest, syntax.given, syntax.template);
      if ('stage' in values) return reject(values);
      return checkValues(definition, rules, syntax, values.values, values.applied);
    },
    // Only now, behind authorization: a lookup reveals the call to the name server.
    async vet(args, signal) {
      const target = await resolveTarget(manifest, args, rules.targetPolicy, signal);
      return target.ok ? { ok: true, value: target.args } : reject(target.objection);
    },
  };
}

// Suggestions name them, too.
/** Arguments that commands have beside their flags. */
const commonArguments = ['template', 'timeout_sec', 'correlation_id', 'dry_run', 'extra_args'];

/** The end of a message about an unknown argument. */
const suggestion = (name: string, known: readonly string[]): string => {
  const near = nearest(name, known);
  return near === undefined ? '' : `; did you mean ${near}?`;
};

/** First stage: types, ranges and unknown names. */
function parseSyntax(
  definition: CommandDefinition,
  fold: (text: string) => ExtraArgsResult,
  value: unknown,
): ParsedSyntax | Rejection {
  const { flags, target, templates, extra_args: takesExtra } = definition.manifest;
  const wrong = (field: string, message: string, given?: unknown, example?: string): Rejection => ({
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
  let folded: ExtraArgsResult | undefined;
  for (const [name, item] of Object.entries(value as Readonly<Record<string, unknown>>)) {
    // JSON has no undefined; callers inside of the process may pass it for an absent argument.
    if (item === undefined) continue;
    const text = typeof item === 'string' ? item : undefined;
    // Object.hasOwn: an argument called `constructor` must be unknown.
    const flag = Object.hasOwn(flags, name) ? flags[name] : undefined;
    if (flag !== undefined) {
      const result = parseFlagValue(flag, item);
      if (!result.ok) return { ...wrong(name, result.message, item, result.example), expected: result.expected };
      given.set(name, result.value);
    } else if (name === 'target' && target.kind !== 'none') {
      const longest = maxTargetLength(target.kind);
      if (text === undefined || text === '' || text.length > longest)
        return wrong(name, `must be text of 1 to ${longest} characters`, item, '192.168.1.10');
      if (controlCharacters.test(text)) return wrong(name, 'contains control characters', text, '192.168.1.10');
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
        // Cut: the name comes from the caller and is repeated in the message.
        name.slice(0, 64),
        `is not an argument of this tool${suggestion(name, [...Object.keys(flags), ...(target.kind === 'none' ? [] : ['target']), ...commonArguments])}`,
        undefined,
        Object.keys(flags).slice(0, 8).join(', '),
      );
  }
  for (const [name, item] of folded?.ok ? folded.values : []) {
    // The same flag in two places is ambiguous, so that neither wins.
    if (given.has(name)) return wrong('extra_args', `sets ${name}, which is also given as an argument`);
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

/**
 * Second and third stage: values in context, then permissions. Permissions come last, so that a probing caller learns
 * nothing from malformed calls.
 */
function checkValues(
  definition: CommandDefinition,
  rules: InputRules,
  syntax: ParsedSyntax,
  values: FlagValues,
  applied: readonly string[],
): Parsed<Args> {
  const permissionRejections: Rejection[] = [];
  const { manifest, checks = {} } = definition;
  const allowed = { intrusive: rules.allowsIntrusive() };
  // All permission problems are collected, but a wrong value is reported first: it can be fixed by the caller.
  for (const [name, value] of values) {
    const check = checks[name];
    const objection = check === undefined ? undefined : check(value, allowed);
    if (objection?.stage === 'semantics') return reject({ ...objection, field: name, value });
    if (objection !== undefined) permissionRejections.push(intrusiveRejection(name, objection.message, value));
    const flag = manifest.flags[name];
    // A flag that is off needs no permission.
    if (value === false || flag === undefined) continue;
    if (flag.needs.includes('intrusive') && !allowed.intrusive)
      permissionRejections.push(
        intrusiveRejection(
          name,
          `${flag.flag[0] ?? name} is intrusive, and security.allow_intrusive (MCP_SECURITY_ALLOW_INTRUSIVE) is off`,
          value,
        ),
      );
    if (flag.needs.includes('privileged') && !rules.isRoot)
      permissionRejections.push({
        stage: 'permission',
        field: name,
        code: 'permission_denied',
        message: `${flag.flag[0] ?? name} needs the gateway to run as root`,
      });
    // An address in a flag, such as a name server, is a second target and obeys the same policy.
    if (flag.type === 'address') {
      const vetted = rules.targetPolicy.parse('host', String(value), manifest.target.policy);
      if (!vetted.ok)
        permissionRejections.push({
          stage: 'permission',
          field: name,
          message: vetted.reason,
          value,
          ...(vetted.hint !== undefined && { hint: vetted.hint }),
        });
    }
  }
  const target = parseTarget(manifest, syntax.target, rules.targetPolicy);
  if (!target.ok && target.objection.stage === 'semantics') return reject(target.objection);
  const [first] = permissionRejections;
  if (first !== undefined) return reject(first);
  if (!target.ok) return reject(target.objection);
  return {
    ok: true,
    // Defaults are listed, so that the result can show which flags the caller did not choose.
    value: { ...target.args, ...Object.fromEntries(values), ...syntax.plain, ...(applied.length > 0 && { applied }) },
    ...(syntax.timeoutMs !== undefined && { timeoutMs: syntax.timeoutMs }),
  };
}

/** Rejection of something that the operator has not allowed. */
const intrusiveRejection = (field: string, message: string, value: FlagValue): Rejection => ({
  stage: 'permission',
  field,
  message,
  value,
  code: 'policy_denied',
  hint: 'An operator can set security.allow_intrusive: true (MCP_SECURITY_ALLOW_INTRUSIVE=true)',
});
