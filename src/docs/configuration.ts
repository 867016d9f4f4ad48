import { ranges } from '../config/clamp.js';
import { configFileVariable, settings } from '../config/env.js';
import { editorSchema, keysOf, reloadOf, type Key, type Shape } from '../config/keys.js';
import { configurationExamples } from './configuration-examples.js';
import { markdownTable } from './markdown.js';

/** `docs/configuration.md`: how a configuration is found, layered and reloaded, and a list of its sections. */
export function configurationPage(): string {
  return `# Configuration

\`\`\`yaml
# yaml-language-server: $schema=./node_modules/toolgate/docs/toolgate.schema.json
server:
  transport: http
tool:
  exclude: [nmap]
  overrides:
    ping: { timeout: 10, concurrency: 5 }
\`\`\`

Toolgate starts without a configuration file. With one, it reads the file given by \`--config\`, else the one named by
\`${configFileVariable}\`, else \`toolgate.yaml\` in the working directory. The command line overrides the environment, the
environment overrides the file, and the file overrides the defaults.

An unknown key, a wrong type or an unreadable file stops the start; every problem is listed at once with its line and
column. A number outside its range is clamped, and the log reports it. \`toolgate check\` reports all of this without starting.

While Toolgate runs, it picks up changes of the file as a whole, also on SIGHUP. A file with a problem changes nothing: the last
good configuration stays active, and the log and the health check \`config\` give the reason. Keys with *restart* in the column
*Reload* are read at the start only; the log event \`config.reloaded\` and \`GET /config\` list them under \`needs_restart\`.

## Sections

${markdownTable(
  ['Section', 'Contents'],
  sections().map(([name, { description }]) => [`[\`${name}\`](configuration/${name}.md)`, description ?? '']),
)}

## Secrets

In keys of type *secret*, \`\${NAME}\` refers to an environment variable. It is resolved when it is needed and never printed:
logs, errors and \`GET /config\` show \`[redacted \${NAME}]\`. An unset variable stops the start and is named.
Write \`$$\` for a dollar sign. In all other keys \`\${NAME}\` is plain text.

## Environment and command line

${markdownTable(
  ['Variable', 'Flag', 'Key', 'Meaning'],
  [
    [`\`${configFileVariable}\``, '`--config`', '', 'the configuration file'],
    ...settings.map((one) => [
      `\`${one.name}\``,
      one.flag === undefined ? '' : `\`${one.flag}\``,
      `\`${one.path}\``,
      one.describes,
    ]),
  ],
)}

\`--http\` and \`--stdio\` are short for \`--transport http\` and \`--transport stdio\`. An empty variable counts as unset. Lists are
separated by commas.
`;
}

/** `docs/configuration/<section>.md`: an example, then every key with its default, range and variable. */
export const sectionPages = (): readonly { readonly name: string; readonly text: string }[] =>
  sections().map(([name, section]) => ({ name, text: sectionPage(name, section) }));

const sections = (): readonly (readonly [string, Shape])[] => Object.entries(editorSchema().properties ?? {});

function sectionPage(name: string, section: Shape): string {
  const keys = keysOf(section, [name]).filter(({ shape }) => shape.properties === undefined);
  return `# ${name}

${section.description ?? ''}

\`\`\`yaml
${configurationExamples[name] ?? ''}
\`\`\`

${markdownTable(['Key', 'Type', 'Default', 'Range', 'Variable', 'Reload', 'Meaning'], keys.map(row))}

[All sections](../configuration.md)
`;
}

const row = (key: Key): readonly string[] => {
  const path = key.path.join('.').replaceAll('.[]', '[]').replaceAll('.(', ' (').replaceAll('*', '<name>');
  const variable = settings.find((one) => one.path === key.path.join('.'))?.name;
  return [
    `\`${path}\``,
    typeText(key.shape),
    defaultText(key),
    rangeText(key),
    variable === undefined ? '' : `\`${variable}\``,
    reloadOf(key.path),
    key.shape.description ?? '',
  ];
};

function typeText(shape: Shape): string {
  if (shape.writeOnly === true) return '*secret*';
  if (shape.const !== undefined) return `\`${String(shape.const)}\``;
  if (shape.enum !== undefined) return shape.enum.map((one) => `\`${String(one)}\``).join(', ');
  if (shape.type === 'array')
    return shape.items?.type === 'object'
      ? 'list'
      : `list of ${shape.items === undefined ? 'values' : typeText(shape.items)}`;
  if (shape.type === 'object') return 'by name';
  if (shape.oneOf !== undefined || shape.anyOf !== undefined) return 'by kind';
  return { string: 'text', integer: 'whole number', number: 'number', boolean: 'yes or no' }[shape.type ?? ''] ?? 'any';
}

function defaultText({ shape, isRequired }: Key): string {
  if (shape.default === undefined) return isRequired ? '*required*' : '';
  return `\`${JSON.stringify(shape.default)}\``;
}

function rangeText({ shape: { minimum, maximum }, path }: Key): string {
  if (minimum === undefined || maximum === undefined) return '';
  const named = Object.entries(ranges).flatMap(([key, [low, high]]) => {
    const parts = key.split('.');
    const other = parts.findIndex((part, index) => part !== path[index]);
    return path[other] === '*' && parts.toSpliced(other, 1, '*').join('.') === path.join('.')
      ? [`; ${parts[other] ?? ''} ${low} to ${high}`]
      : [];
  });
  return `${minimum} to ${maximum}${named.join('')}`;
}
