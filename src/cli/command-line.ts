import { parseArgs, type ParseArgsConfig } from 'node:util';
import { settings } from '../config/env.js';
import { nearest } from '../config/nearest.js';
import type { Problem } from '../config/problem.js';
import { problemLine } from '../config/problem.js';
import { escapeInvisible } from '../lib/escape-invisible.js';
import type { Io } from './io.js';

type OptionTable = NonNullable<ParseArgsConfig['options']>;

/** Flags of every verb that loads the configuration; `load` has taken the valid ones, so they only serve suggestions. */
export const settingFlags: readonly string[] = [
  '--config',
  '--http',
  '--stdio',
  '--insecure-dev',
  ...settings.flatMap(({ flag }) => flag ?? []),
];

/** Reports wrong use in one line with a pointer to the help page; returns the exit code 2. */
export function usageError(verb: string, message: string, io: Io): number {
  const command = verb === '' ? 'toolgate' : `toolgate ${verb}`;
  io.err(`${command}: ${escapeInvisible(message)}${/[.?]$/.test(message) ? '' : '.'} See ${command} --help\n`);
  return 2;
}

/** The end of a message about a misspelt word: names the known word it is closest to, if any. */
export function didYouMean(word: string, known: readonly string[]): string {
  const suggestion = nearest(word, known);
  return suggestion === undefined ? '' : `; did you mean ${suggestion}?`;
}

/** Parses the options of a verb; reports wrong use and returns undefined, so that the caller exits with 2. */
export function parseCommandLine<const T extends OptionTable>(
  verb: string,
  args: readonly string[],
  options: T,
  io: Io,
  knownFlags: readonly string[] = settingFlags,
): ReturnType<typeof parseArgs<{ args: string[]; options: T; allowPositionals: true }>> | undefined {
  const problem = optionProblem(args, options, knownFlags);
  if (problem === undefined) return parseArgs({ args: [...args], options, allowPositionals: true });
  usageError(verb, problem, io);
  return undefined;
}

/** Prints why the configuration cannot be used, one problem per line; returns the exit code 1. */
export function reportConfigProblems(problems: readonly Problem[], io: Io): number {
  io.err(
    `toolgate: the configuration cannot be used\n${problems.map((problem) => `  ${problemLine(problem)}\n`).join('')}`,
  );
  return 1;
}

// Checked on tokens instead of catching the errors of parseArgs: its messages are a library's text without suggestions.
function optionProblem(
  args: readonly string[],
  options: OptionTable,
  knownFlags: readonly string[],
): string | undefined {
  const { tokens } = parseArgs({ args: [...args], options, allowPositionals: true, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
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
