import { createServer, type AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { commandBench, printed } from '../../../../test/support/commands.js';
import { whois, whoisOutput } from './whois.js';

const answer = [
  '% a registry',
  'Domain Name: WWW.LAB.INTERNAL',
  'Registrar: Example Names',
  'Creation Date: 2001-01-01T00:00:00Z',
  'Registry Expiry Date: 2031-01-01',
  'Domain Status: ok',
  'Name Server: NS1.LAB.INTERNAL',
  'Name Server: NS2.LAB.INTERNAL',
  '',
].join('\r\n');

test('a registry is asked for one name and its fields come back as data', async () => {
  const questions: string[] = [];
  const registry = createServer((socket) =>
    socket.once('data', (question) => {
      questions.push(question.toString());
      socket.end(answer);
    }),
  );
  await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
  const { port } = registry.address() as AddressInfo;
  // No caller can choose the registry; the test does, as the author of a manifest.
  const manifest = { ...whois.manifest, always: [...whois.manifest.always, '-h', '127.0.0.1', '-p', String(port)] };
  const bench = commandBench({ builtins: false, definitions: [{ ...whois, manifest }] });
  try {
    const output = printed(await bench.ask('whois', { target: 'www.lab.internal' }));
    expect(questions).toEqual(['www.lab.internal\r\n']);
    expect(output.metadata['parsed']).toEqual({
      domain: 'WWW.LAB.INTERNAL',
      registrar: 'Example Names',
      created: '2001-01-01T00:00:00Z',
      expires: '2031-01-01',
      name_servers: ['NS1.LAB.INTERNAL', 'NS2.LAB.INTERNAL'],
      status: ['ok'],
    });
  } finally {
    registry.close();
    await bench.close();
  }
});

test('no flag is offered, and the words end in the name alone', async () => {
  const bench = commandBench();
  try {
    expect(printed(await bench.ask('whois', { target: 'WWW.lab.internal', dry_run: true })).metadata['command']).toBe(
      'whois --no-recursion -H -- www.lab.internal',
    );
    expect(await bench.ask('whois', { target: 'www.lab.internal', extra_args: '-h 127.0.0.1' })).toMatchObject({
      error: { code: 'invalid_arguments' },
    });
    expect(bench.started).toEqual([]);
  } finally {
    await bench.close();
  }
});

test('text without fields yields no data', () => {
  expect(
    whoisOutput.read({
      stdout: 'No whois server is known for this kind of object.\n',
      stderr: '',
      returncode: 1,
      args: {},
    }),
  ).toEqual({});
});
