import { spawnSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { until } from '../support/engines.mjs';
import { call, caller, modern, operator, send, textOf, toolgate } from './replica.mjs';

const count = (items, accepts) => items.filter(accepts).length;

/** Status line of a raw HTTP request; '' if the connection ended without one. */
const statusOf = (port, request) =>
  new Promise((resolve) => {
    let seen = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(request));
    socket.setTimeout(10_000, () => socket.destroy());
    socket.on('data', (bytes) => {
      seen += bytes;
      socket.destroy();
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(seen)?.[1] ?? 0)));
  });

/** What moves between replicas, and what is left after a restore. */
export const continuity = {
  async 'large results and parked calls on any replica'({ fleet }) {
    const [a, b, c] = fleet.map(({ url }) => url);
    const large = await modern(a, 'tools/call', { name: 'each__big', arguments: {} });
    const link = large.result?.content?.find(({ type }) => type === 'resource_link');
    const reads = await Promise.all(
      [a, b, c].map((base) => modern(base, 'resources/read', { uri: link?.uri ?? 'none' })),
    );
    const foreign = await modern(b, 'resources/read', { uri: link?.uri ?? 'none' }, operator);
    const same = count(reads, ({ result }) => result?.contents?.[0]?.text?.includes('large large'));

    const params = { name: 'each__ask', arguments: {} };
    const asked = await modern(a, 'tools/call', params);
    const { inputRequests = {}, requestState } = asked.result ?? {};
    const answer = { action: 'accept', content: { colour: 'blue' } };
    const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, answer]));
    const done = await modern(b, 'tools/call', { ...params, inputResponses, requestState });
    const again = await modern(c, 'tools/call', { ...params, inputResponses, requestState });
    const isAnswered = JSON.stringify(done).includes('blue');
    return [
      same === 3 && foreign.error !== undefined && isAnswered && again.error !== undefined,
      `the rest of a result read on ${same} of 3 replicas, by another caller ${foreign.error ? 'refused' : 'READ'}; ` +
        `a parked call continued elsewhere: ${isAnswered}, twice: ${again.error ? 'refused' : 'RAN'}`,
    ];
  },

  async 'hostile requests to the peer door'({ fleet }) {
    const port = fleet[0].peerPort;
    const head = 'POST /peer HTTP/1.1\r\nhost: x\r\n';
    const old = `toolgate-peer: v1 r1 ${Date.now() - 60_000} ${'n'.repeat(22)} ${'m'.repeat(43)}\r\n`;
    const forged = `toolgate-peer: v1 r1 ${Date.now()} ${'n'.repeat(22)} ${'m'.repeat(43)}\r\n`;
    const tries = {
      unsigned: `${head}content-length: 2\r\n\r\n{}`,
      'with a token of a caller': `${head}authorization: Bearer ${caller}\r\ncontent-length: 2\r\n\r\n{}`,
      'of an operator': `GET /tools HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${operator}\r\n\r\n`,
      old: `${head}${old}content-length: 2\r\n\r\n{}`,
      forged: `${head}${forged}content-length: 2\r\n\r\n{}`,
      oversized: `${head}${forged}content-length: 99999999\r\n\r\n`,
    };
    const seen = [];
    for (const request of Object.values(tries)) seen.push(await statusOf(port, request));
    // The door of callers does not serve peers.
    const outside = await send(`${fleet[0].url}/peer`, operator, { verb: 'run one', body: {} });
    return [
      seen.join() === '401,401,401,401,401,413' && outside.status === 404,
      `${Object.keys(tries).join(', ')}: ${seen.join(' ')}; at the door of callers ${outside.status}`,
    ];
  },

  async 'a server that runs once'({ fleet }) {
    const before = await Promise.all(fleet.map(({ url }) => call(url, 'one__calls', caller, {})));
    const seen = new Set(before.map(textOf));
    for (const each of fleet) {
      await each.stop('SIGTERM');
      await each.start();
    }
    // A server that was handed over starts again with its first call.
    let after = [];
    await until(async () => {
      after = await Promise.all(fleet.map(({ url }) => call(url, 'one__calls', caller, {})));
      return after.every(({ status }) => status === 200);
    }, 60_000);
    const left = new Set(after.map(textOf));
    return [
      before.every(({ status }) => status === 200) && seen.size === 1 && left.size === 1,
      `three replicas see ${seen.size} state, after a rolling restart ${left.size}`,
    ];
  },

  async 'backup and restore'({ fleet, engines, folder }) {
    const { postgres, valkey } = engines;
    const run = (name, ...args) => {
      const { status, stderr } = spawnSync(join(postgres.bin, name), args, { encoding: 'utf8' });
      if (status !== 0) throw new Error(`${name}: ${stderr}`);
    };
    const made = await send(`${fleet[0].url}/keys`, operator, { name: 'kept', roles: ['user'] });
    await call(fleet[1].url, 'dig', made.body.key);
    for (const each of fleet) await each.stop('SIGTERM');
    const dump = join(folder, 'toolgate.dump');
    const homes = fleet.map(({ name }) => [join(folder, name), join(folder, `${name}.backup`)]);
    run('pg_dump', '--format', 'custom', '--file', dump, postgres.url);
    for (const [home, backup] of homes) cpSync(home, backup, { recursive: true });

    run('psql', '-q', '-c', 'DROP SCHEMA public CASCADE; CREATE SCHEMA public', postgres.url);
    for (const [home] of homes) rmSync(home, { recursive: true });
    await valkey.stop('SIGKILL');
    await valkey.start();
    const wiped = await toolgate(['audit', 'verify', '--fleet', '--config', fleet[0].config]);

    run('pg_restore', '--clean', '--if-exists', '--dbname', postgres.url, dump);
    for (const [home, backup] of homes) cpSync(backup, home, { recursive: true });
    const verified = await toolgate(['audit', 'verify', '--fleet', '--config', fleet[0].config]);
    await Promise.all(fleet.map((each) => each.start()));
    const listed = await Promise.all(fleet.map(({ url }) => send(`${url}/tools`, made.body.key, undefined, 'GET')));
    const usable = count(listed, ({ status }) => status === 200);
    return [
      verified.code === 0 && usable === 3,
      `wiped: ${wiped.output.split('\n')[0]}; restored: ${verified.output.split('\n')[0]}; a key works on ${usable} of 3`,
    ];
  },
};
