import { parse, printParseErrorCode } from 'jsonc-parser';

/** Parses JSON that may have comments, trailing commas and a byte order mark; a problem names its line. */
export function parseJsonWithComments(text: string): { readonly value: unknown } | { readonly problem: string } {
  const plain = text.replace(/^\uFEFF/, '');
  const errors: { error: number; offset: number; length: number }[] = [];
  const value: unknown = parse(plain, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error === undefined) return { value };
  const line = plain.slice(0, error.offset).split('\n').length;
  return { problem: `line ${line} is not JSON (${printParseErrorCode(error.error)})` };
}
