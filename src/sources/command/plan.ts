import type { Args } from '../../core/call.js';
import type { Flag } from './flag.js';
import type { Manifest } from './manifest.js';
import { readValue, type FlagValue } from './values.js';

/** The words after the program: fixed ones, flags, always-added ones, then the target; the same for the same arguments. */
export function plan(manifest: Manifest, args: Args): readonly string[] {
  const flags = Object.entries(manifest.flags).flatMap(([name, flag]) => flagWords(flag, valueOf(flag, args[name])));
  return [
    ...manifest.before,
    ...flags,
    ...manifest.always,
    ...nameWords(manifest, args),
    ...targetWords(manifest, args),
  ];
}

/** The words of the flags that were applied though nobody asked for them, one entry each. */
export function appliedWords(manifest: Manifest, args: Args): readonly string[] {
  const { applied } = args;
  if (!Array.isArray(applied)) return [];
  return Object.entries(manifest.flags)
    .filter(([name]) => applied.includes(name))
    .map(([name, flag]) => flagWords(flag, valueOf(flag, args[name])).join(' '))
    .filter((words) => words !== '');
}

// Read once more by the flag's own rule: arguments that did not come from the contract must never become words.
function valueOf(flag: Flag, given: unknown): FlagValue | undefined {
  if (given === undefined) return undefined;
  const reading = readValue(flag, given);
  if (!reading.ok)
    throw new Error(`an unread value reached the plan: ${flag.flag[0] ?? 'argument'} ${reading.message}`);
  return reading.value;
}

function flagWords(flag: Flag, value: FlagValue | undefined): readonly string[] {
  const [spelling] = flag.flag;
  if (value === undefined || value === false || spelling === undefined) return [];
  if (value === true) return flag.passes ?? [spelling];
  if (flag.repeatable && typeof value === 'object')
    return value.flatMap((item) => written(flag, spelling, String(item)));
  return written(flag, spelling, typeof value === 'object' ? value.join(',') : String(value));
}

const written = ({ form }: Flag, spelling: string, text: string): readonly string[] =>
  form === 'separate' ? [spelling, text] : [form === 'equals' ? `${spelling}=${text}` : `${spelling}${text}`];

function nameWords({ target: { name_flag: flag, pin, kind }, flags }: Manifest, args: Args): readonly string[] {
  if (typeof args['name'] !== 'string') return [];
  const isSaid = Object.entries(flags).some(
    ([name, { flag: spellings }]) => args[name] !== undefined && spellings.includes(flag ?? ''),
  );
  const url = kind === 'url' ? new URL(String(args['target'])) : undefined;
  const port = url === undefined ? '' : url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port;
  const pinned = (pin ?? []).map((word) => filled(word, { ...args, port }));
  return [...(flag === undefined || isSaid ? [] : [flag, args['name']]), ...pinned];
}

function targetWords({ target, end_of_flags: endOfFlags, flags }: Manifest, args: Args): readonly string[] {
  if (target.kind === 'none') return [];
  const address = chosenAddress(args);
  const isV6 = address?.includes(':') ?? false;
  const known: Args = {
    ...Object.fromEntries(Object.keys(flags).map((name) => [name, args[name]])),
    ...args,
    address: address ?? args['target'],
    host: isV6 && address !== undefined && !address.includes('/') ? `[${address}]` : (address ?? args['target']),
  };
  const form = target.form ?? (target.kind === 'url' || target.kind === 'domain' ? '{target}' : '{address}');
  const asAddress = target.kind === 'domain' && address !== undefined;
  const flag = asAddress ? target.address_flag : target.flag;
  return [
    ...(isV6 && target.ipv6_flag !== undefined ? [target.ipv6_flag] : []),
    ...(endOfFlags ? ['--'] : []),
    ...(flag === undefined ? [] : [flag]),
    asAddress ? address : filled(form, known),
  ];
}

/** One of the vetted addresses: of the family asked for, where there is one. */
function chosenAddress(args: Args): string | undefined {
  const all = Array.isArray(args['addresses']) ? args['addresses'] : [args['address']];
  const texts = all.filter((item) => typeof item === 'string');
  const wanted =
    args['ipv6'] === true
      ? texts.find((text) => text.includes(':'))
      : args['ipv4'] === true
        ? texts.find((text) => !text.includes(':'))
        : undefined;
  return wanted ?? texts[0];
}

function filled(form: string, known: Args): string {
  return form.replace(/\{([a-z_]+)\}/g, (_, name: string) => {
    const value = known[name];
    if (typeof value !== 'string' && typeof value !== 'number')
      throw new Error(`nothing stands for {${name}} in a target form`);
    return String(value);
  });
}
