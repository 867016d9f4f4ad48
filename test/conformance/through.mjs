import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { egress } from '../../dist/net/egress/egress.js';
import { networkPolicy } from '../../dist/net/egress/network-policy.js';
import { processes } from '../../dist/processes/index.js';
import { localChannel } from '../../dist/sources/mcp/channels/local-channel.js';
import { remoteChannel } from '../../dist/sources/mcp/channels/remote-channel.js';
import { mcpSource } from '../../dist/sources/mcp/source.js';
import { serveFixture, serveSources } from './serve.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const limits = {
  timeoutMs: 30_000,
  maxTimeoutMs: 60_000,
  concurrency: 64,
  queue: 64,
  queueTimeoutMs: 10_000,
  ratePerMinute: 0,
  maxOutputBytes: 1_048_576,
};
const common = {
  id: 'conformance',
  clientInfo: { name: 'toolgate', version: '0' },
  limits: { limits },
  sharing: 'session',
  connectMs: 20_000,
  startupMs: 20_000,
};

/** A gateway before the fixture, which is its plugin or its remote server of either era; names are not prefixed. */
export async function serveThrough({ kind, era, legacyAnswers = 'json' }) {
  const behind = kind === 'remote' ? await serveFixture({ legacyAnswers: 'stream' }) : undefined;
  const local = behind ? undefined : processes();
  const way =
    behind && egress({ networks: networkPolicy({ allow: ['loopback'] }).policy, ports: 'any', connectionsPerHost: 64 });
  const open = behind
    ? remoteChannel({
        url: behind.url.replace('localhost', '127.0.0.1'),
        transport: 'streamable_http',
        egress: way,
        credentials: () => ({ headers: async () => ({ headers: {} }) }),
      })
    : localChannel({
        id: 'conformance',
        processes: local,
        tier: 'prlimit',
        network: 'host',
        limits: { openFiles: 512 },
        env: () => ({ values: {}, secrets: [], missing: [] }),
        command: async () => ({ program: process.execPath, args: [join(here, 'stdio.mjs')] }),
      });
  const source = mcpSource({ ...common, remote: behind !== undefined, era, open, pool: { maxSessions: 500 } });
  const front = await serveSources([source], { legacyAnswers });
  return {
    url: front.url,
    async stop() {
      await front.stop();
      await source.close();
      await local?.close();
      await way?.close();
      await behind?.stop();
    },
  };
}
