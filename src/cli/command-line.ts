import { parseArgs, type ParseArgsConfig } from 'node:util';
import { settings } from '../config/env.js';
import { nearest } from '../lib/text/nearest.js';
import type { Problem } from '../config/problem.js';
import { problemLine } from '../config/problem.js';
import { escapeInvisible } from '../lib/text/escape-invisible.js';
import type { ErrorIo } from './io.js';

/** Options as `parseArgs` of Node takes them. */
type OptionTable = NonNullable<ParseArgsConfig['options']>;

/** Flags of every verb that loads the configuration; `load` has taken the valid ones, so they only serve suggestions. */
const settingFlags: readonly string[] = [
  '--config',
  '--http',
  '--stdio',
  '--insecure-dev',
  ...settings.flatMap(({ flag }) => flag ?? []),
];

/** Reports an error of a verb in one line, or as JSON on stdout with `--json`; returns the exit code. */
export function failure(verb: string, message: string, io: ErrorIo, code = 1): number {
  const command = verb === '' ? 'toolgate' : `toolgate ${verb}`;
  // Messages repeat words from the command line and from configuration files, which may hold control characters.
  if (io.json === true) printJsonError({ message: escapeInvisible(message) }, code, io);
  else io.err(`${command}: ${escapeInvisible(message)}\n`);
  return code;
}

/** Reports wrong use in one line with a pointer to the help page; returns the exit code 2. */
export function usageError(verb: string, message: string, io: ErrorIo): number {
  const command = verb === '' ? 'toolgate' : `toolgate ${verb}`;
  const help = `${command} --help`;
  if (io.json === true) printJsonError({ message: escapeInvisible(message), help }, 2, io);
  else io.err(`${command}: ${escapeInvisible(message)}${/[.?]$/.test(message) ? '' : '.'} See ${help}\n`);
  return 2;
}

/** The one shape of errors with --json, so that scripts need one parser for all verbs. */
const printJsonError = (error: Readonly<Record<string, unknown>>, code: number, io: ErrorIo): void =>
  io.out(`${JSON.stringify({ error, exit_code: code })}\n`);

/** Refuses arguments that a verb or command does not take; undefined if there are none. */
export const unexpectedArgument = (verb: string, [extra]: readonly string[], io: ErrorIo): number | undefined =>
  extra === undefined ? undefined : usageError(verb, `unexpected argument ${JSON.stringify(extra)}`, io);

/** The end of a message about a misspelt word: names the known word it is closest to, if any. */
export function didYouMean(word: string, known: readonly string[]): string {
  const suggestion = nearest(word, known);
  return suggestion === undefined ? '' : `; did you mean ${suggestion}?`;
}

/** Options that every verb has, so that none can be without them. */
const commonOptions = { json: { type: 'boolean' } } as const;

/** Parses the options of a verb; reports wrong use and returns undefined, so that the caller exits with 2. */
export function parseCommandLine<const T extends OptionTable>(
  verb: string,
  args: readonly string[],
  own: T,
  io: ErrorIo,
  knownFlags: readonly string[] = settingFlags,
):
  | ReturnType<typeof parseArgs<{ args: string[]; options: T & typeof commonOptions; allowPositionals: true }>>
  | undefined {
  const options = { ...own, ...commonOptions };
  const problem = optionProblem(args, options, knownFlags);
  if (problem === undefined) return parseArgs({ args: [...args], options, allowPositionals: true });
  usageError(verb, problem, io);
  return undefined;
}

/** Prints why the configuration cannot be used, one problem per line; returns the exit code 1. */
export function reportConfigProblems(problems: readonly Problem[], io: ErrorIo): number {
  const message = 'the configuration cannot be used';
  if (io.json === true) printJsonError({ message, problems }, 1, io);
  else io.err(`toolgate: ${message}\n${problems.map((problem) => `  ${problemLine(problem)}\n`).join('')}`);
  return 1;
}

// Checked on tokens instead of catching the errors of parseArgs: its messages are a library's text without suggestions.
function optionProblem(
  args: readonly string[],
  options: OptionTable,
  knownFlags: readonly string[],
): string | undefined {
  // Lenient here: with `strict` the parser throws at the first problem, before this function can name it.
  const { tokens } = parseArgs({ args: [...args], options, allowPositionals: true, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    // Object.hasOwn, because `--constructor` would otherwise be found on the prototype.
    const option = Object.hasOwn(options, token.name) ? options[token.name] : undefined;
    if (option === undefined)
      return `unknown option ${token.rawName}${didYouMean(token.rawName, [...Object.keys(options).map((name) => `--${name}`), ...knownFlags])}`;
    if (option.type === 'boolean' && token.value !== undefined) return `${token.rawName} takes no value`;
    if (option.type === 'string' && !hasValue(token)) return `${token.rawName} needs a value`;
  }
  return undefined;
}

/** `--name --json` is a forgotten value, not a name that starts with dashes; `--name=--json` is taken as written. */
const hasValue = ({
  value,
  inlineValue,
}: {
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}): boolean => value !== undefined && (inlineValue === true || value === '-' || !value.startsWith('-'));
