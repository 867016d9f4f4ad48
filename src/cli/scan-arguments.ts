import { didYouMean } from './command-line.js';

/** Describes an error of `parseArgs` without the library's text, which explains positional arguments at length. */
export function describeArgumentError(error: unknown, names: readonly string[]): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const [, option = ''] = /'(--?[^\s',<]*)/.exec(error instanceof Error ? error.message : '') ?? [];
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION')
    return `unknown option ${option}${didYouMean(
      option,
      names.map((name) => `--${name}`),
    )}`;
  if (code === 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE') return `missing or unexpected value of ${option}`;
  return 'invalid arguments';
}
