import type { Declaration, SecretValues } from '../declarations.js';

/** A curl command equivalent to the tool; secrets are shown as `$NAME`, arguments as `{name}`. */
export function curlCommand(tool: Declaration): string {
  const words = ['curl', '-sS'];
  if (tool.kind === 'function') {
    const args = Object.fromEntries(tool.parameters.map(({ name }) => [name, `{${name}}`]));
    words.push(
      '-X POST',
      shellQuote(tool.url),
      ...headerArgs(tool.headers),
      `-H ${shellQuote('Content-Type: application/json')}`,
      `-d ${shellQuote(JSON.stringify({ function: tool.functionName, args }))}`,
    );
  } else {
    const query = Object.entries(tool.query)
      .map(([name, { masked: shown }]) => `${name}=${shown}`)
      .join('&');
    words.push(
      `-X ${tool.method}`,
      // Variables stay expandable, so that the command works with the secret in the environment.
      shellQuote(`${tool.baseUrl.replace(/\/+$/, '')}${tool.path}${query === '' ? '' : `?${query}`}`, true),
      ...headerArgs(tool.headers),
    );
    if (tool.body !== undefined) words.push(`-d ${shellQuote(JSON.stringify(tool.body))}`);
  }
  return words.join(' ');
}

/** Headers as curl takes them, with masked values. */
const headerArgs = (headers: SecretValues): readonly string[] =>
  Object.entries(headers).map(([name, { masked: shown }]) => `-H ${shellQuote(`${name}: ${shown}`, true)}`);

/** Quotes one shell word: single quotes, or double quotes with escapes if a variable must be expanded. */
function shellQuote(text: string, withVariables = false): string {
  if (!withVariables || !/\$[A-Za-z_]/.test(text)) return `'${text.replaceAll("'", `'\\''`)}'`;
  return `"${text.replaceAll(/[\\"`]|\$(?![A-Za-z_])/g, '\\$&')}"`;
}
