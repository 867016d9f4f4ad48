import { createSocket, type Socket } from 'node:dgram';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commandBench, printed, type Bench } from '../../../../test/support/commands.js';

// An address of loopback that nothing else listens on, since dig is not allowed to name a port.
const server = '127.53.53.53';
let bench: Bench;
let dns: Socket;
const asked: string[] = [];

beforeAll(async () => {
  bench = commandBench();
  dns = createSocket('udp4', (query, from) => dns.send(answerTo(query), from.port, from.address));
  await new Promise<void>((resolve, reject) => dns.once('error', reject).bind(53, server, resolve));
});
afterAll(async () => {
  dns.close();
  await bench.close();
});

/** A name server that knows one address for every name. */
function answerTo(query: Buffer): Buffer {
  let end = 12;
  const labels: string[] = [];
  while ((query[end] ?? 0) !== 0) {
    const length = query[end] ?? 0;
    labels.push(query.toString('latin1', end + 1, end + 1 + length));
    end += length + 1;
  }
  asked.push(labels.join('.'));
  const question = query.subarray(12, end + 5);
  const isPointer = query.readUInt16BE(end + 1) === 12;
  const data = isPointer
    ? Buffer.from([4, ...Buffer.from('here'), 3, ...Buffer.from('lab'), 8, ...Buffer.from('internal'), 0])
    : Buffer.from([10, 1, 2, 3]);
  const header = Buffer.from([query[0] ?? 0, query[1] ?? 0, 0x84, 0, 0, 1, 0, 1, 0, 0, 0, 0]);
  const record = Buffer.from([0xc0, 12, 0, isPointer ? 12 : 1, 0, 1, 0, 0, 0, 60, 0, data.length]);
  return Buffer.concat([header, question, record, data]);
}

test('records come back as data', async () => {
  const output = printed(await bench.ask('dig', { target: 'www.lab.internal', type: 'A', server }));
  expect(output).toMatchObject({
    returncode: 0,
    metadata: {
      parsed: {
        status: 'NOERROR',
        values: ['10.1.2.3'],
        answer: [{ name: 'www.lab.internal.', ttl: 60, type: 'A', value: '10.1.2.3' }],
      },
      summary: 'NOERROR, 1 answers',
    },
  });
  expect(output.metadata['command']).toBe(`dig -t A @${server} +time=3 +tries=1 -r -q www.lab.internal`);
});

test('an address is asked for by its reverse name', async () => {
  const output = printed(await bench.ask('dig', { target: '192.168.7.9', server, short: true }));
  expect(output.metadata).toMatchObject({
    parsed: { values: ['here.lab.internal.'] },
    command: `dig @${server} +short +time=3 +tries=1 -r -x 192.168.7.9`,
  });
  expect(asked).toContain('9.7.168.192.in-addr.arpa');
});

test('the command-line form means the same', async () => {
  const output = printed(
    await bench.ask('dig', { target: 'www.lab.internal', extra_args: `@${server} -t A +short +time=2` }),
  );
  expect(output.stdout.trim()).toBe('10.1.2.3');
});

test('a name server outside the policy is refused', async () => {
  for (const outside of ['8.8.8.8', '169.254.169.254']) {
    expect(await bench.ask('dig', { target: 'www.lab.internal', server: outside })).toMatchObject({
      kind: 'failed',
      error: { code: 'invalid_arguments', data: { field: 'server' } },
    });
  }
});
