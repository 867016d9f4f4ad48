import { expect, test } from 'vitest';
import { parseManifestText } from './yaml-file.js';
import { riskyFlags } from './risky-flags.js';

const risksOf = (command: string, flags: string): readonly string[] => {
  const read = parseManifestText('x.tool.yaml', `command: ${command}\ntarget: { kind: none }\nflags: { ${flags} }\n`);
  if (!read.ok) throw new Error(read.problems.join());
  return riskyFlags(read.manifest).map(({ spelling, risk }) => `${spelling} ${risk}`);
};
const free = (flag: string): string => `a: { flag: ${flag}, type: string, pattern: "[a-z]+" }`;
const on = (flag: string): string => `a: { flag: ${flag}, type: boolean }`;

test.each([
  ['nmap', free('-o'), ['-o writes files']],
  ['nmap', free('-oN'), ['-oN writes files']],
  ['curl', free('--output'), ['--output writes files']],
  ['tool', free('-e'), ['-e executes programs']],
  ['find', free('-exec'), ['-exec executes programs']],
  ['tar', free('--checkpoint-action'), ['--checkpoint-action executes programs']],
  ['tool', on('--listen'), ['--listen listens for connections']],
  ['tool', on('--sudo'), ['--sudo raises privileges']],
])('%s with %s is reported', (command, flags, expected) => {
  expect(risksOf(command, flags)).toEqual(expected);
});

test.each([
  ['ls', on('-l')],
  ['kubectl', 'a: { flag: [-o, --output], type: enum, values: [json, yaml] }'],
  ['ping', 'a: { flag: -c, type: integer, min: 1, max: 5 }'],
  ['grep', on('-e')],
])('%s with %s is not', (command, flags) => {
  expect(risksOf(command, flags)).toEqual([]);
});
