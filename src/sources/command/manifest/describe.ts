import type { Flag } from './flag.js';
import type { Manifest } from './manifest.js';
import { exampleFor, describeExpected } from '../input/flag-values.js';

/** Renders a manifest as Markdown documentation. */
export function describeManifest(name: string, manifest: Manifest): string {
  const { target, flags, templates, always, limits } = manifest;
  const network = manifest.sandbox.network ?? (target.kind === 'none' ? 'none' : 'host');
  const parts = [
    `## ${name}`,
    manifest.description ?? `Execute ${manifest.command}`,
    `Runs \`${[manifest.command, ...manifest.before].join(' ')}\`, sandbox tier at least \`${manifest.sandbox.minimum}\`, network \`${network}\`.`,
    target.kind === 'none'
      ? 'Takes no target.'
      : `Target: ${target.kind}, under the network policy \`${target.policy}\`.${target.description === undefined ? '' : ` ${target.description}.`}`,
    Object.keys(flags).length === 0
      ? 'Takes no flags.'
      : markdownTable(
          ['Argument', 'Flag', 'Takes', 'Default', 'Meaning'],
          Object.entries(flags).map(([argument, flag]) => toFlagRow(argument, flag)),
        ),
    ...(Object.keys(templates).length === 0
      ? []
      : [
          markdownTable(
            ['Template', 'Sets'],
            Object.entries(templates).map(([template, settings]) => [
              template,
              Object.entries(settings)
                .map(([key, value]) => `${key}: ${String(value)}`)
                .join(', '),
            ]),
          ),
        ]),
    ...(always.length === 0 ? [] : [`Always added: \`${always.join(' ')}\`.`]),
    ...(limits.timeout_sec === undefined
      ? []
      : [`Times out after ${limits.timeout_sec} s by default, ${limits.max_timeout_sec ?? 3600} s at most.`]),
  ];
  return `${parts.join('\n\n')}\n`;
}

function toFlagRow(argument: string, flag: Flag): readonly string[] {
  const needs = flag.needs.map((need) => (need === 'intrusive' ? 'needs `security.allow_intrusive`' : 'needs root'));
  const meaning = [flag.description ?? '', ...needs].filter((part) => part !== '').join('; ');
  const takes = `${describeExpected(flag)}${flag.type === 'boolean' ? '' : `, such as ${exampleFor(flag)}`}`;
  return [
    `\`${argument}\``,
    flag.flag.map((spelling) => `\`${spelling}\``).join(' '),
    takes,
    flag.default === undefined ? '' : `\`${String(flag.default)}\``,
    meaning,
  ];
}

function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  // A pipe inside a pattern would end the cell.
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
