import type { ObservedCall, Machine } from '../interpreter/abstract-machine.js';
import { environmentValue } from './environment-variables.js';
import { constant, join, undefinedValue, stringOf, truth, type Result, type Value } from '../values/values.js';

const parserPackages = /^(?:node:)?(?:yargs|commander|cac|sade|@commander-js\/extra-typings)(?:\/|$)/;
const parseMethods = new Set(['parse_args', 'parse_known_args', 'parse', 'parseSync', 'parseAsync', 'opts', '.argv']);

/** Records a declared option with its default: `add_argument('--write', action='store_true')`, `.option('--write', …)`. */
export function recordOption(machine: Machine, { method, receiver, args }: ObservedCall): void {
  const [first, second, third] = args.positional;
  if (method === 'add_argument') {
    const name = stringOf(args.named.get('dest')) ?? preferLongOption(args.positional.map(stringOf));
    if (name === undefined || !stringOf(first)?.startsWith('-')) return;
    const action = stringOf(args.named.get('action'));
    const off = action === 'store_true' ? false : action === 'store_false' ? true : null;
    if (truth(args.named.get('required') ?? constant(false)) === false)
      addOption(machine, name.replace(/^-+/, '').replaceAll('-', '_'), args.named.get('default') ?? constant(off));
  } else if (method === 'option' && receiver && isParser(receiver)) {
    const flags = stringOf(first);
    if (flags === undefined) return;
    if (second?.kind === 'object') addOption(machine, flags, second.props.get('default') ?? undefinedValue);
    else {
      const name = toCamelCase(/--(?:no-)?([\w-]+)/.exec(flags)?.[1] ?? flags);
      addOption(machine, name, third ?? (/[<[]/.test(flags) ? undefinedValue : constant(flags.includes('--no-'))));
    }
  } else if (method === 'options' && receiver && isParser(receiver) && first?.kind === 'object') {
    for (const [name, option] of first.props)
      if (option.kind === 'object') addOption(machine, name, option.props.get('default') ?? undefinedValue);
  }
}

const preferLongOption = (names: readonly (string | undefined)[]): string | undefined =>
  names.find((name) => name?.startsWith('--')) ?? names[0];
const toCamelCase = (name: string): string => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

function addOption(machine: Machine, name: string, value: Value): void {
  for (const each of new Set([name, toCamelCase(name)]))
    machine.options.set(each, machine.options.has(each) ? join(machine.options.get(each), value) : value);
}

/** Whether a call chain starts at a parser of a well-known package. */
function isParser(value: Value): boolean {
  let at: Value | undefined = value;
  for (let depth = 0; at?.kind === 'result' && depth < 200; depth += 1) at = at.receiver ?? at.callee;
  return at?.kind === 'external' && parserPackages.test(at.source);
}

/** Default of a declared option, in a run that assumes no options are given. */
export function parsedOption(machine: Machine, value: Result, name: string): Value | undefined {
  if (machine.settings === 'any' || !parseMethods.has(value.method) || !machine.options.has(name)) return undefined;
  if (!value.method.startsWith('parse_') && !isParser(value)) return undefined;
  const otherwise = machine.options.get(name) ?? undefinedValue;
  if (otherwise.kind !== 'constant' || typeof otherwise.value !== 'boolean')
    return environmentValue(machine, name, otherwise);
  // A boolean flag is never a required credential, even if its name looks like one.
  machine.assumedUnset = true;
  return otherwise;
}

/** Default of a `typer` option, which a command parameter holds. */
export const optionDefault = (value: Value): Value =>
  value.kind === 'result' && value.callee.kind === 'external' && value.callee.source === 'typer'
    ? (value.args.named.get('default') ?? value.args.positional[0] ?? value)
    : value;
