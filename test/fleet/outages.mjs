import { createServer, connect } from 'node:net';
import { freePort, until } from '../support/engines.mjs';
import { call, caller, codeOf, operator, replica, send } from './replica.mjs';

/** A way to an engine that can be cut like a network: bytes are dropped, and nothing is closed or refused. */
async function cuttable(port) {
  let isCut = false;
  const sockets = new Set();
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    for (const [from, to] of [
      [near, far],
      [far, near],
    ]) {
      sockets.add(from);
      from.on('data', (bytes) => isCut || to.write(bytes));
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: server.address().port,
    cut: () => (isCut = true),
    heal() {
      isCut = false;
      // What was dropped is lost, as after a partition; clients connect again.
      for (const socket of sockets) socket.destroy();
    },
    end() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** What a replica does that alone has lost an engine. */
export const outages = {
  async 'I10 a replica cut off from PostgreSQL'({ fleet, engines, folder, slowMs }) {
    const way = await cuttable(engines.postgres.port);
    const own = { ...engines, postgres: { url: engines.postgres.url.replace(/:\d+\//, `:${way.port}/`) } };
    const cut = replica({ folder, name: 'cut', port: await freePort(), peerPort: await freePort(), engines: own });
    try {
      await cut.start();
      const before = await call(cut.url, 'one__count', caller, { round: -1 });
      way.cut();
      const refusals = {
        approval: await call(cut.url, 'one__count', caller, { round: -2 }),
        'a new key': await send(`${cut.url}/keys`, operator, { name: 'cut' }),
        decision: await send(`${cut.url}/approvals/tk_none/approve`, operator),
      };
      const open = await call(cut.url, 'dig');
      const others = await call(fleet[0].url, 'one__count', caller, { round: -3 });
      await until(async () => (await fetch(`${cut.url}/readyz`)).status === 503, 30_000);
      const isReady = (await fetch(`${fleet[0].url}/readyz`)).status;
      const slowest = Math.max(...Object.values(refusals).map(({ ms }) => ms), open.ms);
      way.heal();
      await until(async () => (await fetch(`${cut.url}/readyz`)).ok, 30_000);
      const healed = await send(`${cut.url}/keys`, operator, { name: `healed${Date.now()}` });
      const codes = Object.values(refusals).map((each) => `${each.status} ${codeOf(each) ?? ''}`);
      return [
        before.status === 409 &&
          Object.values(refusals).every(({ status }) => status >= 400 && status !== 404 && status !== 409) &&
          codeOf(open) === 'invalid_arguments' &&
          codeOf(others) === 'confirmation_required' &&
          isReady === 200 &&
          slowest < slowMs &&
          healed.status === 201,
        `${Object.keys(refusals).join(', ')}: ${codes.join(', ')}; other calls ${codeOf(open)}; readyz 503, the others ${isReady}; slowest ${slowest.toFixed(0)} ms`,
      ];
    } finally {
      await cut.stop('SIGKILL');
      way.end();
    }
  },
};
