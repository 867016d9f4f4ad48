import { connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { policyOf } from '../../../test/support/gates.js';
import { recordingServer } from '../../../test/support/recording-server.js';
import { ConnectRefusal, guardedConnector, type Connectors } from './connections.js';
import { compileEgressRules } from '../egress/egress-rules.js';
import type { EgressRules } from '../egress/egress-types.js';

const closing: (() => unknown)[] = [];
afterEach(() => Promise.all(closing.splice(0).map((close) => close())));

const rules: EgressRules = {
  networks: policyOf({ allow: [{ cidrs: ['127.0.0.1/32'], hosts: ['web.test'] }] }),
  ports: 'any',
};
type Dial = Connectors['short'];

const attempt = (dial: Dial, port: number, addresses: string[]) =>
  new Promise<Error | Socket>((resolve) => {
    const guard = guardedConnector(rules, compileEgressRules(rules), () => Promise.resolve(addresses), {
      short: dial,
      full: dial,
    });
    guard({ hostname: 'web.test', host: `web.test:${port}`, protocol: 'http:', port: String(port) }, (error, socket) =>
      resolve(error ?? socket!),
    );
  });

test('a connection that arrives somewhere else than it was sent is thrown away', async () => {
  const elsewhere = await recordingServer({ host: '127.0.0.2' });
  closing.push(elsewhere.close);
  let diverted: Socket | undefined;
  const divertingDial: Dial = (_, callback) => {
    diverted = connect(elsewhere.port, '127.0.0.2', () => callback(null, diverted!));
  };
  const outcome = await attempt(divertingDial, elsewhere.port, ['127.0.0.1']);
  expect(outcome).toBeInstanceOf(ConnectRefusal);
  expect(outcome).toMatchObject({ outcome: { kind: 'refused', reason: 'address' } });
  expect(diverted?.destroyed).toBe(true);
});

test('a vetted address is reached, and a dead one before it does not matter', async () => {
  const server = await recordingServer();
  closing.push(server.close);
  const tried: string[] = [];
  const firstFails: Dial = (options, callback) => {
    tried.push(options.hostname);
    if (tried.length === 1) return callback(new Error('dead'), null);
    const socket = connect(Number(options.port), options.hostname, () => callback(null, socket));
  };
  const socket = await attempt(firstFails, server.port, ['127.0.0.1', '127.0.0.1']);
  expect(socket).toMatchObject({ remoteAddress: '127.0.0.1' });
  expect(tried).toHaveLength(2);
  (socket as Socket).destroy();
});

test('a dial that fails everywhere reports the last reason', async () => {
  expect(await attempt((_, callback) => callback(new Error('dead'), null), 1, ['127.0.0.1'])).toMatchObject({
    message: 'dead',
  });
});
