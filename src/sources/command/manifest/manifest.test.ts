import { expect, test } from 'vitest';
import { parseManifest } from './manifest.js';
import { parseManifestText } from './yaml-file.js';
import { builtins } from '../pack/index.js';

const small = { command: 'wc', flags: {}, target: { kind: 'none' } };

test('a command and an empty list of flags are enough; the rest has safe defaults [S0.102] [S0.42]', () => {
  const reading = parseManifest(small);
  expect(reading.ok && reading.manifest).toMatchObject({
    always: [],
    before: [],
    extra_args: false,
    end_of_flags: false,
    parser: 'none',
    environment: {},
    sandbox: { minimum: 'prlimit', best: 'bwrap', new_privileges: false },
    effects: { writes: false, destroys: false },
  });
});

test.each([undefined, null, '*', 'all', true, { '*': { flag: '-x', type: 'boolean' } }, { any: '*' }])(
  'flags: %j would allow every flag and is refused [S0.42]',
  (flags) => {
    const reading = parseManifest({ ...small, flags });
    expect(reading.ok ? [] : reading.problems.map(({ message }) => message)).toEqual([
      expect.stringContaining('would allow every flag'),
    ]);
  },
);

test.each([
  ['an unknown key', { extra: 1 }],
  ['a shell as the command', { command: 'bash' }],
  ['an interpreter as the command', { command: '/usr/bin/python3' }],
  ['a command with words', { command: 'wc -l' }],
  ['a relative path', { command: '../wc' }],
  ['a string flag without a rule', { flags: { a: { flag: '-a', type: 'string' } } }],
  ['a number without a range', { flags: { a: { flag: '-a', type: 'integer' } } }],
  ['a range upside down', { flags: { a: { flag: '-a', type: 'integer', min: 5, max: 1 } } }],
  [
    'a negative range, which would pass a value that begins with a hyphen',
    { flags: { a: { flag: '-a', type: 'integer', min: -5, max: 1 } } },
  ],
  ['an enum value that begins with a hyphen', { flags: { a: { flag: '-a', type: 'enum', values: ['-x'] } } }],
  ['a broken pattern', { flags: { a: { flag: '-a', type: 'string', pattern: '(' } } }],
  ['a flag that is none', { flags: { a: { flag: 'a', type: 'boolean' } } }],
  ['a flag with a value glued on', { flags: { a: { flag: '--a=b', type: 'boolean' } } }],
  ['a reserved argument name', { flags: { target: { flag: '-a', type: 'boolean' } } }],
  ['an argument named like a prototype', { flags: { __proto__x: { flag: '-a', type: 'boolean' } } }],
  [
    'one spelling for two arguments',
    { flags: { a: { flag: '-a', type: 'boolean' }, b: { flag: ['-b', '-a'], type: 'boolean' } } },
  ],
  ['an argument that goes nowhere', { flags: { a: { type: 'boolean' } } }],
  ['a default outside its rule', { flags: { a: { flag: '-a', type: 'integer', min: 1, max: 2, default: 3 } } }],
  ['a template with an unknown flag', { templates: { quick: { a: true } } }],
  [
    'a template outside the rule',
    { flags: { a: { flag: '-a', type: 'integer', min: 1, max: 2 } }, templates: { quick: { a: 9 } } },
  ],
  ['excludes that name nobody', { flags: { a: { flag: '-a', type: 'boolean', excludes: ['b'] } } }],
  ['an environment that loads code', { environment: { LD_PRELOAD: '/tmp/x.so' } }],
  ['another PATH', { environment: { PATH: '/tmp' } }],
  ['a best tier below the minimum', { sandbox: { minimum: 'bwrap', best: 'prlimit' } }],
  ['a default timeout above the maximum', { limits: { timeout_sec: 60, max_timeout_sec: 30 } }],
  ['a timeout above an hour', { limits: { timeout_sec: 4000 } }],
  ['a target form without a target', { target: { kind: 'none', form: '{address}' } }],
  ['an unknown target kind', { target: { kind: 'file' } }],
  ['control characters among the fixed words', { always: ['a\nb'] }],
])('%s is refused', (_, over) => {
  expect(parseManifest({ ...small, ...over })).toMatchObject({ ok: false });
});

test('every problem of a file is reported at once, each with its line and column', () => {
  const reading = parseManifestText(
    'wc.tool.yaml',
    [
      'command: wc',
      'flags:',
      '  lines:',
      '    flag: -l',
      '    type: bool',
      'target:',
      '  kind: none',
      'limits:',
      '  timeout_sec: 0',
    ].join('\n'),
  );
  expect(reading).toEqual({
    ok: false,
    problems: [
      expect.stringMatching(/^wc\.tool\.yaml:5:11 flags\.lines\.type /),
      expect.stringMatching(/^wc\.tool\.yaml:9:16 limits\.timeout_sec /),
    ],
  });
});

test.each([
  ['a duplicate key', 'command: wc\ncommand: rm\nflags: {}\ntarget: {kind: none}\n'],
  ['a custom tag', 'command: !!js/function "x"\nflags: {}\ntarget: {kind: none}\n'],
  ['broken YAML', 'command: [\n'],
  ['no mapping at all', '- a\n- b\n'],
  [
    'aliases that unfold',
    `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefghi'
      .split('')
      .map((key, index) => `${key}: &${key} [${Array(9).fill(`*${'abcdefgh'[index]}`).join(',')}]`)
      .join('\n')}\n`,
  ],
])('%s in a file is a problem, not an exception', (_, text) => {
  expect(parseManifestText('x.tool.yaml', text)).toMatchObject({ ok: false });
});

test('the manifests of the pack, filled in without the schema, are what the schema makes of them', () => {
  for (const { name, manifest } of builtins(() => {}))
    expect([name, parseManifest(manifest)]).toEqual([name, { ok: true, manifest }]);
});
