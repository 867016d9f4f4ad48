import type { Flag } from './flag.js';
import { parseFlagValue } from '../input/flag-values.js';

/** Argument names used by the input contract itself; flags must not redefine them. */
const reservedArguments: ReadonlySet<string> = new Set([
  'target',
  'address',
  'addresses',
  'name',
  'template',
  'timeout_sec',
  'correlation_id',
  'dry_run',
  'extra_args',
  'applied',
]);

// Environment variables that make the dynamic linker, a shell or an interpreter load other code (LD_PRELOAD injection).
const codeLoadingVariables = /^(?:LD_|DYLD_|GCONV_PATH$|BASH_|ENV$|NODE_OPTIONS$|PERL5|PYTHON|RUBY|IFS$|PATH$)/;

// Interpreters and launchers run arbitrary code, so no flag allow-list can restrict them.
const interpreters =
  /(?:^|\/)(?:sh|bash|dash|zsh|ksh|fish|busybox|env|xargs|sudo|su|doas|ssh|socat|nc|ncat|perl[\d.]*|python[\d.]*|ruby[\d.]*|node|php[\d.]*|lua[\d.]*|awk|gawk|mawk)$/;

/** A problem with its place in the manifest. */
interface CrossCheckProblem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** The part of a manifest that is checked across keys. */
interface CheckedManifest {
  readonly command: string;
  readonly flags: Readonly<Record<string, Flag>>;
  readonly templates: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly environment: Readonly<Record<string, string>>;
  readonly end_of_flags: boolean;
  readonly retry?: object | undefined;
  readonly effects: { readonly writes: boolean; readonly destroys: boolean; readonly idempotent: boolean };
  readonly sandbox: { readonly minimum: string; readonly best: string };
  readonly limits: { readonly timeout_sec?: number | undefined; readonly max_timeout_sec?: number | undefined };
  readonly target: {
    readonly kind: string;
    readonly form?: string | undefined;
    readonly flag?: string | undefined;
    readonly pin?: readonly string[] | undefined;
  };
}

/** Checks that span several keys: reserved names, duplicate spellings, defaults that violate their own rule. */
export function* crossCheck(manifest: CheckedManifest): Generator<CrossCheckProblem> {
  yield* checkFlags(manifest);
  yield* checkDefaultsAndTemplates(manifest);
  const { command, environment, sandbox, limits, target, effects } = manifest;
  // A retry after a lost response would do the same twice.
  if (manifest.retry !== undefined && (effects.writes || effects.destroys || !effects.idempotent))
    yield { path: ['retry'], message: 'a tool that writes, destroys or is not idempotent is never repeated' };
  if (interpreters.test(command))
    yield {
      path: ['command'],
      message: `${command} runs arbitrary code; set command to the script itself, with a #! line`,
    };
  for (const name of Object.keys(environment)) {
    if (codeLoadingVariables.test(name))
      yield { path: ['environment', name], message: 'can change which code runs and must not be set' };
  }
  // Otherwise the tool would never find a tier that satisfies both.
  if (sandbox.minimum === 'bwrap' && sandbox.best === 'prlimit')
    yield { path: ['sandbox', 'best'], message: 'is weaker than minimum' };
  if (
    limits.timeout_sec !== undefined &&
    limits.max_timeout_sec !== undefined &&
    limits.timeout_sec > limits.max_timeout_sec
  ) {
    yield { path: ['limits', 'timeout_sec'], message: 'must not be above max_timeout_sec' };
  }
  if (target.kind === 'none' && (target.form ?? target.flag) !== undefined)
    yield { path: ['target', 'kind'], message: 'must not be none if target.form or target.flag is set' };
}

/** Names, spellings and references of flags. */
function* checkFlags({ flags, target }: CheckedManifest): Generator<CrossCheckProblem> {
  const owners = new Map<string, string>();
  const placeholders = [target.form ?? '', ...(target.pin ?? [])].join(' ');
  for (const [name, flag] of Object.entries(flags)) {
    if (reservedArguments.has(name)) yield { path: ['flags', name], message: 'is a reserved argument name' };
    for (const spelling of flag.flag) {
      const owner = owners.get(spelling);
      // Two flags with one spelling: the parser could not decide between them.
      if (owner !== undefined)
        yield { path: ['flags', name, 'flag'], message: `${spelling} is already used by ${owner}` };
      owners.set(spelling, name);
    }
    // A value that reaches no argument would be accepted and ignored.
    if (flag.flag.length === 0 && !placeholders.includes(`{${name}}`))
      yield { path: ['flags', name], message: 'has no flag and is not used in target.form or target.pin' };
    for (const [key, others] of [
      ['excludes', flag.excludes],
      ['default_unless', flag.default_unless],
    ] as const) {
      const unknown = others.find((other) => !Object.hasOwn(flags, other));
      if (unknown !== undefined) yield { path: ['flags', name, key], message: `refers to unknown flag ${unknown}` };
    }
  }
}

/** Defaults and templates must satisfy the rules of their flags, or calls without them would fail. */
function* checkDefaultsAndTemplates({ flags, templates }: CheckedManifest): Generator<CrossCheckProblem> {
  for (const [name, flag] of Object.entries(flags)) {
    if (flag.default === undefined) continue;
    const result = parseFlagValue(flag, flag.default);
    if (!result.ok) yield { path: ['flags', name, 'default'], message: result.message };
  }
  for (const [template, settings] of Object.entries(templates)) {
    for (const [name, value] of Object.entries(settings)) {
      const flag = Object.hasOwn(flags, name) ? flags[name] : undefined;
      const result =
        flag === undefined
          ? { ok: false as const, message: 'is not a flag of this manifest' }
          : parseFlagValue(flag, value);
      if (!result.ok) yield { path: ['templates', template, name], message: result.message };
    }
  }
}
