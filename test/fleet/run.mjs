// Several replicas behind nginx, on real engines: `npm run fleet`. Bounded; every part ends its processes.
// Options: --long (ten times the rounds), --only TEXT,TEXT (scenarios whose name contains one), --measure (processor time and throughput).
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { freePort, missingEngines, startNginx, startPostgres, startValkey } from '../support/engines.mjs';
import { measure } from './measure.mjs';
import { replica } from './replica.mjs';
import { continuity } from './continuity.mjs';
import { outages } from './outages.mjs';
import { races } from './races.mjs';
import { sdkClients } from './sdk-clients.mjs';
import { scenarios } from './scenarios.mjs';

const { values } = parseArgs({
  options: { long: { type: 'boolean' }, only: { type: 'string' }, measure: { type: 'boolean' } },
});
const missing = missingEngines();
if (missing.length > 0) {
  console.log(`fleet: skipped; install ${missing.join(' and ')}`);
  process.exit(process.env.CI ? 1 : 0);
}
const folder = mkdtempSync(join(tmpdir(), 'toolgate-fleet-'));
let failures = 0;
const check = (name, ok, detail) => {
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${name}: ${detail}`);
  if (!ok) failures += 1;
};

const [postgres, valkey] = await Promise.all([startPostgres(), startValkey()]);
const engines = { postgres, valkey };
const fleet = [];
let balancer;
try {
  if (values.measure) await measure({ folder, engines, report: check });
  else {
    const ports = await Promise.all([freePort(), freePort(), freePort()]);
    for (const [at, port] of ports.entries())
      fleet.push(replica({ folder, name: `r${at}`, port, peerPort: await freePort(), engines }));
    await Promise.all(fleet.map((each) => each.start()));
    balancer = await startNginx(ports);
    // A call may wait 150 ms for an engine; the rest is for the client, the HTTP server and a busy machine. A call that waits for a
    // stopped engine would never end.
    const parts = { fleet, balancer, engines, folder, long: values.long ? 10 : 1, slowMs: values.long ? 500 : 3_000 };
    // Those of `scenarios` last: they end with an audit that was tampered with.
    for (const [name, run] of Object.entries({ ...races, ...sdkClients, ...continuity, ...outages, ...scenarios })) {
      if (values.only !== undefined && !values.only.split(',').some((part) => name.includes(part))) continue;
      const began = Date.now();
      const [ok, detail] = await run(parts).catch((error) => [false, error.stack]);
      check(name, ok, `${detail} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
    }
  }
} catch (error) {
  check('run', false, error.stack);
} finally {
  await balancer?.end();
  await Promise.all(fleet.map((each) => each.stop('SIGKILL')));
  await Promise.all([postgres.end(), valkey.end()]);
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = failures > 0 ? 1 : 0;
