import type { Declaration, HiddenTexts } from './declarations.js';

/** The one command by which a person can try what a tool calls; secrets stand as `$NAME`, arguments as `{name}`. */
export function curlOf(tool: Declaration): string {
  const words = ['curl', '-sS'];
  if (tool.kind === 'function') {
    const args = Object.fromEntries(tool.parameters.map(({ name }) => [name, `{${name}}`]));
    words.push(
      '-X POST',
      quoted(tool.url),
      ...headerWords(tool.headers),
      `-H ${quoted('Content-Type: application/json')}`,
      `-d ${quoted(JSON.stringify({ function: tool.functionName, args }))}`,
    );
  } else {
    const query = Object.entries(tool.query)
      .map(([name, { shown }]) => `${name}=${shown}`)
      .join('&');
    words.push(
      `-X ${tool.method}`,
      quoted(`${tool.baseUrl.replace(/\/+$/, '')}${tool.path}${query === '' ? '' : `?${query}`}`, true),
      ...headerWords(tool.headers),
    );
    if (tool.body !== undefined) words.push(`-d ${quoted(JSON.stringify(tool.body))}`);
  }
  return words.join(' ');
}

const headerWords = (headers: HiddenTexts): readonly string[] =>
  Object.entries(headers).map(([name, { shown }]) => `-H ${quoted(`${name}: ${shown}`, true)}`);

/** One word for a shell: in single quotes, or where a variable must be filled in, in double ones with everything else escaped. */
function quoted(text: string, withVariables = false): string {
  if (!withVariables || !/\$[A-Za-z_]/.test(text)) return `'${text.replaceAll("'", `'\\''`)}'`;
  return `"${text.replaceAll(/[\\"`]|\$(?![A-Za-z_])/g, '\\$&')}"`;
}
