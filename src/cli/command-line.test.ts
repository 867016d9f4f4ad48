import { expect, test } from 'vitest';
import type { Io } from './io.js';
import { parseCommandLine } from './command-line.js';

function parse(args: readonly string[]) {
  let err = '';
  const io: Io = {
    out: () => {},
    err: (text) => void (err += text),
    env: {},
    isTTY: false,
    showsProgress: false,
    signal: new AbortController().signal,
  };
  return { parsed: parseCommandLine('tools', args, { json: { type: 'boolean' }, name: { type: 'string' } }, io), err };
}

test.each([
  [['--jsno'], 'toolgate tools: unknown option --jsno; did you mean --json? See toolgate tools --help\n'],
  [['--prot', '9'], 'toolgate tools: unknown option --prot; did you mean --port? See toolgate tools --help\n'],
  [['--zzzzzz'], 'toolgate tools: unknown option --zzzzzz. See toolgate tools --help\n'],
  [['--__proto__'], 'toolgate tools: unknown option --__proto__. See toolgate tools --help\n'],
  [['--json=yes'], 'toolgate tools: --json takes no value. See toolgate tools --help\n'],
  [['--name'], 'toolgate tools: --name needs a value. See toolgate tools --help\n'],
  [['--name', '--json'], 'toolgate tools: --name needs a value. See toolgate tools --help\n'],
])('%j is reported in one line that points to the help page', (args, message) => {
  expect(parse(args)).toEqual({ parsed: undefined, err: message });
});

test('options and positionals are parsed', () => {
  const { parsed, err } = parse(['ping', '--name=-x', '--json']);
  expect(err).toBe('');
  expect(parsed?.values).toEqual({ name: '-x', json: true });
  expect(parsed?.positionals).toEqual(['ping']);
});
