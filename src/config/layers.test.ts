import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { settings } from './env.js';
import { environmentLayer, flagsLayer, settingsHelp } from './layers.js';

const values = (argv: readonly string[]): Record<string, unknown> => Object.fromEntries(flagsLayer(argv).values);

test.each([
  [['--port', '80'], { 'server.port': 80 }],
  [['--port=80'], { 'server.port': 80 }],
  [['--http'], { 'server.transport': 'http' }],
  [['--http', '--stdio'], { 'server.transport': 'stdio' }],
  [['--allow-intrusive'], { 'security.allow_intrusive': true }],
  [['--allow-intrusive=false'], { 'security.allow_intrusive': false }],
  [['--include', 'a,b', '--exclude=c'], { 'tool.include': ['a', 'b'], 'tool.exclude': ['c'] }],
  [['--grace', '-1'], { 'server.shutdown_grace_period': -1 }],
  [['--log-level', 'DEBUG'], { 'log.level': 'debug' }],
])('%j sets %j', (argv, set) => {
  expect(values(argv)).toEqual(set);
});

test('what the table does not know is left for the verb, and everything after -- as well', () => {
  expect(flagsLayer(['serve', '--port', '80', '-v', '--json', '--', '--port', '1'])).toMatchObject({
    rest: ['serve', '-v', '--json', '--', '--port', '1'],
    problems: [],
  });
});

test.each([
  [['--port'], '--port', 'needs a value'],
  [['--port', '--http'], '--port', 'needs a value'],
  [['--config='], '--config', 'needs a value'],
  [['--config'], '--config', 'needs a value'],
  [['--port', 'x'], '--port', 'must be a whole number from 0 to 65535'],
])('%j is a problem that names the flag', (argv, flag, message) => {
  expect(flagsLayer(argv).problems).toMatchObject([{ file: flag, message }]);
});

test('--config and --insecure-dev are distinguished from settings', () => {
  expect(flagsLayer(['--config', 'a.yaml'])).toMatchObject({ configFile: 'a.yaml', insecureDev: false });
  expect(flagsLayer(['--insecure-dev'])).toMatchObject({ insecureDev: true, rest: [] });
});

test('--help lists every variable and every flag', () => {
  const help = settingsHelp();
  for (const { name } of settings) expect(help).toContain(name);
  for (const { flag } of settings) if (flag !== undefined) expect(help).toContain(flag);
  expect(help).toContain('MCP_CONFIG_FILE');
});

test('no variable or flag comes twice', () => {
  const names = settings.flatMap(({ name, flag }) => [name, ...(flag === undefined ? [] : [flag])]);
  expect(new Set(names).size).toBe(names.length);
});

test('any command line and any environment is read without throwing', () => {
  const word = fc.oneof(
    fc.string(),
    fc.constantFrom(...settings.flatMap(({ flag }) => flag ?? []), '--', '--config', '--http', '=', '--=', '--port='),
  );
  fc.assert(
    fc.property(
      fc.array(word),
      fc.dictionary(fc.constantFrom(...settings.map(({ name }) => name)), fc.string()),
      (argv, env) => {
        expect(Array.isArray(flagsLayer(argv).problems)).toBe(true);
        expect(environmentLayer(env).values.size + environmentLayer(env).problems.length).toBeLessThanOrEqual(
          Object.keys(env).length,
        );
      },
    ),
  );
});
