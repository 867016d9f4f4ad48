import type { Flag } from './flag.js';
import { readValue } from './values.js';

/** Names the input has for itself; a flag may not take them. */
const reservedNames: ReadonlySet<string> = new Set([
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

// These make a dynamic linker, a shell or an interpreter run something else than the program that was vetted.
const codeLoading = /^(?:LD_|DYLD_|GCONV_PATH$|BASH_|ENV$|NODE_OPTIONS$|PERL5|PYTHON|RUBY|IFS$|PATH$)/;

// Programs that run whatever they are given: no list of flags makes one of them a narrow tool.
const interpreters =
  /(?:^|\/)(?:sh|bash|dash|zsh|ksh|fish|busybox|env|xargs|sudo|su|doas|ssh|socat|nc|ncat|perl[\d.]*|python[\d.]*|ruby[\d.]*|node|php[\d.]*|lua[\d.]*|awk|gawk|mawk)$/;

interface Finding {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

interface Checked {
  readonly command: string;
  readonly flags: Readonly<Record<string, Flag>>;
  readonly templates: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly environment: Readonly<Record<string, string>>;
  readonly end_of_flags: boolean;
  readonly sandbox: { readonly minimum: string; readonly best: string };
  readonly limits: { readonly timeout_sec?: number | undefined; readonly max_timeout_sec?: number | undefined };
  readonly target: {
    readonly kind: string;
    readonly form?: string | undefined;
    readonly flag?: string | undefined;
    readonly pin?: readonly string[] | undefined;
  };
}

/** What each part allows and the whole forbids: reserved names, doubled spellings, values that break their own rule. */
export function* crossCheck(manifest: Checked): Generator<Finding> {
  yield* flagFindings(manifest);
  yield* valueFindings(manifest);
  const { command, environment, sandbox, limits, target } = manifest;
  if (interpreters.test(command))
    yield {
      path: ['command'],
      message: `${command} runs whatever it is given; name the script itself, with a #! line, as the command`,
    };
  for (const name of Object.keys(environment)) {
    if (codeLoading.test(name))
      yield { path: ['environment', name], message: 'may change which code runs and cannot be set' };
  }
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
    yield { path: ['target', 'kind'], message: 'a tool without a target has no form or flag for it' };
}

function* flagFindings({ flags, target }: Checked): Generator<Finding> {
  const owners = new Map<string, string>();
  const written = [target.form ?? '', ...(target.pin ?? [])].join(' ');
  for (const [name, flag] of Object.entries(flags)) {
    if (reservedNames.has(name)) yield { path: ['flags', name], message: 'is a name the input has for itself' };
    for (const spelling of flag.flag) {
      const owner = owners.get(spelling);
      if (owner !== undefined)
        yield { path: ['flags', name, 'flag'], message: `${spelling} belongs to ${owner} already` };
      owners.set(spelling, name);
    }
    if (flag.flag.length === 0 && !written.includes(`{${name}}`))
      yield { path: ['flags', name], message: 'has no flag and does not stand in the target form' };
    for (const [key, others] of [
      ['excludes', flag.excludes],
      ['default_unless', flag.default_unless],
    ] as const) {
      const unknown = others.find((other) => !Object.hasOwn(flags, other));
      if (unknown !== undefined)
        yield { path: ['flags', name, key], message: `names ${unknown}, which is no flag here` };
    }
  }
}

function* valueFindings({ flags, templates }: Checked): Generator<Finding> {
  for (const [name, flag] of Object.entries(flags)) {
    if (flag.default === undefined) continue;
    const reading = readValue(flag, flag.default);
    if (!reading.ok) yield { path: ['flags', name, 'default'], message: reading.message };
  }
  for (const [template, settings] of Object.entries(templates)) {
    for (const [name, value] of Object.entries(settings)) {
      const flag = Object.hasOwn(flags, name) ? flags[name] : undefined;
      const reading = flag === undefined ? { ok: false as const, message: 'is no flag here' } : readValue(flag, value);
      if (!reading.ok) yield { path: ['templates', template, name], message: reading.message };
    }
  }
}
