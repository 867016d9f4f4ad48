import type { Args } from '../../../core/call.js';
import type { Flag } from '../manifest/flag.js';
import type { Manifest } from '../manifest/manifest.js';
import { parseFlagValue, type FlagValue } from '../input/flag-values.js';

/** Builds the arguments of the program in a fixed order: `before`, flags, `always`, target. */
export function buildArgv(manifest: Manifest, args: Args): readonly string[] {
  const flags = Object.entries(manifest.flags).flatMap(([name, flag]) =>
    flagWords(flag, revalidateValue(flag, args[name])),
  );
  return [
    ...manifest.before,
    ...flags,
    ...manifest.always,
    ...nameWords(manifest, args),
    ...targetWords(manifest, args),
  ];
}

/** Flags applied by default, one entry per flag, for `optimizations_applied`. */
export function appliedFlagWords(manifest: Manifest, args: Args): readonly string[] {
  const { applied } = args;
  if (!Array.isArray(applied)) return [];
  return Object.entries(manifest.flags)
    .filter(([name]) => applied.includes(name))
    .map(([name, flag]) => flagWords(flag, revalidateValue(flag, args[name])).join(' '))
    .filter((words) => words !== '');
}

// Defence in depth: validate again, so that arguments that bypassed the contract never reach the argv.
function revalidateValue(flag: Flag, given: unknown): FlagValue | undefined {
  if (given === undefined) return undefined;
  const result = parseFlagValue(flag, given);
  if (!result.ok)
    throw new Error(`an unvalidated value reached the argv: ${flag.flag[0] ?? 'argument'} ${result.message}`);
  return result.value;
}

/** Words of one flag in the form that its program expects. */
function flagWords(flag: Flag, value: FlagValue | undefined): readonly string[] {
  const [spelling] = flag.flag;
  if (value === undefined || value === false || spelling === undefined) return [];
  // A switch of the contract may stand for other words of the program.
  if (value === true) return flag.passes ?? [spelling];
  if (flag.repeatable && typeof value === 'object')
    return value.flatMap((item) => formatFlag(flag, spelling, String(item)));
  return formatFlag(flag, spelling, typeof value === 'object' ? value.join(',') : String(value));
}

/** A flag with its value: `-p 80`, `--time=3` or `-T4`. */
const formatFlag = ({ form }: Flag, spelling: string, text: string): readonly string[] =>
  form === 'separate' ? [spelling, text] : [form === 'equals' ? `${spelling}=${text}` : `${spelling}${text}`];

/** Words that carry the name beside the vetted address: SNI, Host, or a pin such as curl's --resolve. */
function nameWords({ target: { name_flag: flag, pin, kind }, flags }: Manifest, args: Args): readonly string[] {
  if (typeof args['name'] !== 'string') return [];
  // A name that the caller gave explicitly is not given twice.
  const isNameGiven = Object.entries(flags).some(
    ([name, { flag: spellings }]) => args[name] !== undefined && spellings.includes(flag ?? ''),
  );
  const url = kind === 'url' ? new URL(String(args['target'])) : undefined;
  const port = url === undefined ? '' : url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port;
  // The port is part of a pin, and a URL with the default port does not show it.
  const pinned = (pin ?? []).map((word) => fillPlaceholders(word, { ...args, port }));
  return [...(flag === undefined || isNameGiven ? [] : [flag, args['name']]), ...pinned];
}

/** The target as the last words: the vetted address, never the name that would be resolved again (DNS rebinding). */
function targetWords({ target, end_of_flags: endOfFlags, flags }: Manifest, args: Args): readonly string[] {
  if (target.kind === 'none') return [];
  const address = chooseAddress(args);
  const isV6 = address?.includes(':') ?? false;
  const placeholders: Args = {
    ...Object.fromEntries(Object.keys(flags).map((name) => [name, args[name]])),
    ...args,
    address: address ?? args['target'],
    // IPv6 addresses need brackets before a port.
    host: isV6 && address !== undefined && !address.includes('/') ? `[${address}]` : (address ?? args['target']),
  };
  const form = target.form ?? (target.kind === 'url' || target.kind === 'domain' ? '{target}' : '{address}');
  const asAddress = target.kind === 'domain' && address !== undefined;
  const flag = asAddress ? target.address_flag : target.flag;
  return [
    ...(isV6 && target.ipv6_flag !== undefined ? [target.ipv6_flag] : []),
    // `--` ends the flags, so that a target cannot be one (argument injection).
    ...(endOfFlags ? ['--'] : []),
    ...(flag === undefined ? [] : [flag]),
    asAddress ? address : fillPlaceholders(form, placeholders),
  ];
}

/** Chooses a vetted address, preferring the requested IP family. */
function chooseAddress(args: Args): string | undefined {
  const all = Array.isArray(args['addresses']) ? args['addresses'] : [args['address']];
  const texts = all.filter((item) => typeof item === 'string');
  const preferred =
    args['ipv6'] === true
      ? texts.find((text) => text.includes(':'))
      : args['ipv4'] === true
        ? texts.find((text) => !text.includes(':'))
        : undefined;
  return preferred ?? texts[0];
}

/** Fills a form of the manifest; values have been validated, so a missing one is a bug. */
function fillPlaceholders(form: string, known: Args): string {
  return form.replace(/\{([a-z_]+)\}/g, (_, name: string) => {
    const value = known[name];
    if (typeof value !== 'string' && typeof value !== 'number')
      throw new Error(`no value for {${name}} in the target form`);
    return String(value);
  });
}
