import { ranges } from '../config/clamp.js';
import { configFileVariable, settings } from '../config/env.js';
import { editorSchema, keysOf, type Key, type Shape } from '../config/keys.js';
import { markdownTable } from './markdown.js';

/** `docs/configuration.md`: every key with its default, range and variable. */
export function configurationPage(): string {
  const shape = editorSchema();
  const sections = Object.entries(shape.properties ?? {}).map(([name, section]) => sectionText(name, section));
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

Toolgate starts without any of this. It reads the file given by \`--config\`, else the one that \`${configFileVariable}\` names,
else \`toolgate.yaml\` in the working directory if it exists. The command line overrides the environment, which overrides
the file, which overrides the defaults below.

An unknown key, a wrong type or an unreadable file prevents the start; every problem is reported at once with its position. A
number outside its range is clamped, with a warning in the log. \`toolgate check\` reports all of this without starting.

While Toolgate runs, a changed file is reloaded as a whole. A file with a problem changes nothing: the last good
configuration stays active and the log states the reason.

## Secrets

\`\${NAME}\` stands for an environment variable in the keys whose type is *secret*. It is resolved when it is needed and is
never printed: logs, errors and \`GET /config\` show \`[redacted \${NAME}]\`. An unset variable prevents the start and is named.
Write \`$$\` for a dollar sign. In all other keys \`\${NAME}\` is plain text.

${sections.join('\n\n')}

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

function sectionText(name: string, section: Shape): string {
  const keys = keysOf(section, [name]).filter(({ shape }) => shape.properties === undefined);
  const head = `## ${name}\n\n${section.description ?? ''}`;
  if (keys.length === 0) return head;
  return `${head}\n\n${markdownTable(['Key', 'Type', 'Default', 'Range', 'Variable', 'Meaning'], keys.map(row))}`;
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
