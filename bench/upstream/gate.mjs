// The product as users start it: `gate.mjs stdio [tools] [lifecycle] [upstreams]` or `gate.mjs http <port>`.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../dist/config/load.js';
import { log } from '../../dist/observe/log/log.js';
import { serve } from '../../dist/serve.js';
import { place } from '../mcp/process.mjs';
import { token } from '../mcp/requests.mjs';
import { report } from '../mcp/servers/child.mjs';

const [kind, value, lifecycle = 'singleton', upstreams = '1'] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'toolgate-bench-'));
const source =
  kind === 'http'
    ? { kind: 'mcp', url: `http://127.0.0.1:${value}/mcp`, prefix: 'none', concurrency: 256 }
    : {
        kind: 'mcp',
        command: process.execPath,
        args: [place('upstream/echo-stdio.mjs'), value ?? '1'],
        prefix: 'none',
        concurrency: 256,
        lifecycle,
        // Admission happens before the start and costs nothing per call; the echo server registers its tools in a loop.
        admission: 'open',
      };
const config = {
  server: { transport: 'http', port: 0, peer_rate_per_second: 100_000 },
  auth: { token_file: join(folder, 'token') },
  commands: { builtins: false },
  rate_limit: { requests: 100_000, burst: 100_000 },
  sources:
    upstreams === '1'
      ? { up: source }
      : Object.fromEntries(
          Array.from({ length: Number(upstreams) }, (_, at) => [
            `up${at}`,
            { ...source, prefix: undefined, startup_budget: 60 },
          ]),
        ),
};
writeFileSync(join(folder, 'token'), token, { mode: 0o600 });
writeFileSync(join(folder, 'toolgate.yaml'), JSON.stringify(config));
const env = { ...process.env, TOOLGATE_HOME: join(folder, 'home') };
const loaded = await loadConfig({ env, argv: ['--config', join(folder, 'toolgate.yaml')], cwd: folder });
if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
const serving = await serve({
  loaded,
  env,
  argv: [],
  cwd: folder,
  log: log({ level: loaded.config.log.level, format: loaded.config.log.format }),
});
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
report(Number(new URL(serving.url).port));
