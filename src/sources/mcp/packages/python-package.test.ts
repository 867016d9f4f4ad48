import { expect, test } from 'vitest';
import { parseRequirements, uvCommand } from './python-package.js';

const hash = `sha256:${'a'.repeat(64)}`;

test('requirements are read with the hashes of their files', () => {
  expect(
    parseRequirements(
      `anyio==4.16.0 \\\n    --hash=${hash} \\\n    --hash=${hash}\ncolorama==0.4.6 ; sys_platform == 'win32' \\\n    --hash=${hash}\n`,
    ),
  ).toEqual({ 'anyio==4.16.0': [hash, hash], "colorama==0.4.6 ; sys_platform == 'win32'": [hash] });
});

test.each([
  ['a requirement without a hash', 'anyio==4.16.0\n'],
  ['an address', `anyio @ https://a.example/x.whl --hash=${hash}\n`],
  ['an option', `--index-url=https://a.example/ \\\n --hash=${hash}\n`],
  ['another file', `-r other.txt\n`],
  ['a range', `anyio>=4 \\\n --hash=${hash}\n`],
  ['a short hash', 'anyio==4.16.0 \\\n    --hash=sha256:abc\n'],
  ['a hash of nothing', `--hash=${hash}\n`],
])('%s is refused', (_, text) => {
  expect(parseRequirements(text)).toBeUndefined();
});

test.each(['mcp-server-time', 'mcp-server-time@1.0', '../x==1.0', 'a==', '-e==1', 'a==1.0 --index-url=x'])(
  '%s is no package with a version',
  async (spec) => {
    const never = {
      processes: { run: () => Promise.reject(new Error('nothing may be run')) },
      folder: '/nowhere',
      env: {},
      lock: { get: () => undefined, put: () => {} },
    };
    expect(await uvCommand(spec, [], never)).toEqual({ message: `${spec} has no exact version` });
  },
);
