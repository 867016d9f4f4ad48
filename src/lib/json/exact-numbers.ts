const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/gs;
const mayBeInexact = /\d{16}|\d[eE]/;

/**
 * JSON text in which numbers that a double cannot hold are strings with the same digits: 12345678901234567890 would become
 * …7000 and 1e400 would become null, and a wrong id is worse than one of another type.
 */
export function quoteInexactNumbers(text: string): string {
  if (!mayBeInexact.test(text)) return text;
  return text.replace(tokens, (token) => (token.startsWith('"') || isExact(token) ? token : `"${token}"`));
}

/** Whether a number keeps its value; decimals are rounded by every reader, integers are not. */
function isExact(token: string): boolean {
  const value = Number(token);
  if (!Number.isFinite(value)) return false;
  return Number.isSafeInteger(value) || !/^-?\d+$/.test(token) || BigInt(token) === BigInt(value);
}
