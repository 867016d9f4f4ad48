// Cost of the guards: nanoseconds of CPU time per call, for a no-op tool.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { schemaContract } from '../dist/core/contract.js';
import { done } from '../dist/core/outcome.js';
import { defaultLimits, readOnly } from '../dist/core/tool.js';
import { audit } from '../dist/guards/audit.js';
import { authorize } from '../dist/guards/authorize.js';
import { breakers } from '../dist/guards/breaker.js';
import { callLog } from '../dist/guards/call-log.js';
import { concurrency } from '../dist/guards/concurrency.js';
import { contain } from '../dist/guards/contain.js';
import { deadline } from '../dist/guards/deadline.js';
import { metrics as metricsGuard } from '../dist/guards/metrics.js';
import { pipeline } from '../dist/guards/pipeline.js';
import { rateLimit } from '../dist/guards/rate-limit.js';
import { sanitize } from '../dist/guards/sanitize.js';
import { validate } from '../dist/guards/validate.js';
import { lightController } from '../dist/lib/light-signal.js';
import { tokenBucket } from '../dist/lib/token-bucket.js';
import { auditLog } from '../dist/observe/audit/audit-log.js';
import { metrics } from '../dist/observe/metrics/metrics.js';

const rounds = 7;
const calls = 20_000;
const inFlight = 64;

const tool = {
  name: 'noop',
  description: 'Does nothing',
  source: 'bench',
  effects: readOnly,
  input: schemaContract({
    type: 'object',
    properties: { n: { type: 'integer' } },
    required: ['n'],
    additionalProperties: false,
  }),
  limits: { ...defaultLimits, concurrency: 1000, ratePerMinute: 1e9 },
  run: (call) => Promise.resolve(done(String(call.args.n))),
};
const principal = { id: 'bench', name: 'bench', kind: 'local', roles: [] };
const aCall = (n) => ({
  id: `c${n}`,
  tool: 'noop',
  principal,
  via: 'rest',
  args: { n },
  receivedAt: performance.now(),
  signal: lightController().signal,
  correlationId: `c${n}`,
});

export async function run() {
  const folder = mkdtempSync(join(tmpdir(), 'toolgate-bench-'));
  const opened = auditLog({ folder, sync: 'never' });
  if (!opened.ok) throw new Error(opened.problem);
  const numbers = metrics();
  numbers.tools(['noop']);
  const all = breakers({ settings: () => ({ failures: 5, cooldownMs: 60_000 }) });
  const bucket = tokenBucket({ maxKeys: 10_000 });
  const guards = {
    audit: audit({ log: opened.log }),
    metrics: metricsGuard({ sink: numbers }),
    callLog: callLog({ sink: { started() {}, ended() {} } }),
    contain: contain({ faults: { fault() {} } }),
    validate,
    authorize: authorize({ authorizer: { decide: () => undefined } }),
    rateLimit: rateLimit({ bucket }),
    breaker: all.guard,
    concurrency,
    deadline: deadline(),
    sanitize: sanitize(),
  };
  const parts = {
    metrics: numbers,
    lines: { started() {}, ended() {} },
    faults: { fault() {} },
    authorizer: { decide: () => undefined },
    bucket,
    breakers: all,
  };
  const whole = pipeline({ ...parts, journal: opened.log })(tool);
  const recorder = { isActive: () => true, entered() {}, left() {} };
  const unguarded = tool.run;
  const subjects = {
    unguarded,
    everyGuard: whole,
    everyGuardRecorded: pipeline({ ...parts, journal: opened.log }, recorder)(tool),
    everyGuardButAudit: pipeline(parts)(tool),
    ...Object.fromEntries(Object.entries(guards).map(([name, guard]) => [`only ${name}`, guard(tool, unguarded)])),
  };
  const figures = Object.fromEntries(Object.keys(subjects).map((name) => [name, []]));
  figures.refusal = [];
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, handler] of Object.entries(subjects))
      figures[name].push(
        await nanoseconds(
          handler,
          (n) => aCall(n),
          (outcome, n) => outcome.content[0].text === String(n),
        ),
      );
    figures.refusal.push(
      await nanoseconds(
        whole,
        (n) => ({ ...aCall(n), args: { nonsense: n } }),
        (outcome) => outcome.error?.code === 'invalid_arguments',
      ),
    );
  }
  opened.log.close();
  rmSync(folder, { recursive: true, force: true });
  return {
    unit: 'ns of processor time a call, median of rounds',
    calls,
    inFlight,
    rounds,
    ...Object.fromEntries(Object.entries(figures).map(([name, values]) => [name, Math.round(median(values))])),
  };
}

async function nanoseconds(handler, make, right) {
  const start = process.cpuUsage();
  for (let n = 0; n < calls; n += inFlight) {
    const size = Math.min(inFlight, calls - n);
    const outcomes = await Promise.all(Array.from({ length: size }, (_, i) => handler(make(n + i))));
    outcomes.forEach((outcome, i) => {
      if (!right(outcome, n + i)) throw new Error(`a wrong outcome: ${JSON.stringify(outcome)}`);
    });
  }
  const { user, system } = process.cpuUsage(start);
  return ((user + system) * 1000) / calls;
}

const median = (values) => values.toSorted((x, y) => x - y)[Math.floor(values.length / 2)];
