import type { CallSeen, Machine } from './machine.js';
import { environmentOf } from './settings.js';
import { constant, join, nothing, stringOf, truth, type Result, type Value } from './values.js';

const parsers = /^(?:node:)?(?:yargs|commander|cac|sade|@commander-js\/extra-typings)(?:\/|$)/;
const parsed = new Set(['parse_args', 'parse_known_args', 'parse', 'parseSync', 'parseAsync', 'opts', '.argv']);

/** Notes an option that the program declares: `add_argument('--write', action='store_true')`, `.option('--write', …)`. */
export function seeOption(machine: Machine, { method, receiver, args }: CallSeen): void {
  const [first, second, third] = args.positional;
  if (method === 'add_argument') {
    const name = stringOf(args.named.get('dest')) ?? longest(args.positional.map(stringOf));
    if (name === undefined || !stringOf(first)?.startsWith('-')) return;
    const action = stringOf(args.named.get('action'));
    const off = action === 'store_true' ? false : action === 'store_false' ? true : null;
    if (truth(args.named.get('required') ?? constant(false)) === false)
      note(machine, name.replace(/^-+/, '').replaceAll('-', '_'), args.named.get('default') ?? constant(off));
  } else if (method === 'option' && receiver && isParser(receiver)) {
    const flags = stringOf(first);
    if (flags === undefined) return;
    if (second?.kind === 'object') note(machine, flags, second.props.get('default') ?? nothing);
    else {
      const name = camel(/--(?:no-)?([\w-]+)/.exec(flags)?.[1] ?? flags);
      note(machine, name, third ?? (/[<[]/.test(flags) ? nothing : constant(flags.includes('--no-'))));
    }
  } else if (method === 'options' && receiver && isParser(receiver) && first?.kind === 'object') {
    for (const [name, option] of first.props)
      if (option.kind === 'object') note(machine, name, option.props.get('default') ?? nothing);
  }
}

const longest = (names: readonly (string | undefined)[]): string | undefined =>
  names.find((name) => name?.startsWith('--')) ?? names[0];
const camel = (name: string): string => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

function note(machine: Machine, name: string, value: Value): void {
  for (const each of new Set([name, camel(name)]))
    machine.options.set(each, machine.options.has(each) ? join(machine.options.get(each), value) : value);
}

/** Whether a value is a parser of one of the well-known packages, at the head of a chain of calls. */
function isParser(value: Value): boolean {
  let at: Value | undefined = value;
  for (let depth = 0; at?.kind === 'result' && depth < 200; depth += 1) at = at.receiver ?? at.callee;
  return at?.kind === 'external' && parsers.test(at.source);
}

/** What a declared option holds when nobody gave it, in a run that assumes so. */
export function parsedOption(machine: Machine, value: Result, name: string): Value | undefined {
  if (machine.settings === 'any' || !parsed.has(value.method) || !machine.options.has(name)) return undefined;
  if (!value.method.startsWith('parse_') && !isParser(value)) return undefined;
  const otherwise = machine.options.get(name) ?? nothing;
  if (otherwise.kind !== 'constant' || typeof otherwise.value !== 'boolean')
    return environmentOf(machine, name, otherwise);
  // A flag is no credential, whatever it is called.
  machine.assumed = true;
  return otherwise;
}

/** A parameter of a `typer` command holds the default of its option. */
export const optionDefault = (value: Value): Value =>
  value.kind === 'result' && value.callee.kind === 'external' && value.callee.source === 'typer'
    ? (value.args.named.get('default') ?? value.args.positional[0] ?? value)
    : value;
