// Cost of access control and output sanitising: CPU time per call with 1 KB of arguments and 1 KB of result.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaults } from '../dist/config/defaults.js';
import { schemaContract } from '../dist/core/contract.js';
import { compose } from '../dist/core/guard.js';
import { done } from '../dist/core/outcome.js';
import { defaultLimits, readOnly } from '../dist/core/tool.js';
import { allowance } from '../dist/guards/allowance.js';
import { audit } from '../dist/guards/audit.js';
import { authorize } from '../dist/guards/authorize.js';
import { confirm } from '../dist/guards/confirm.js';
import { flow } from '../dist/guards/flow.js';
import { sanitize } from '../dist/guards/sanitize.js';
import { auditLog } from '../dist/observe/audit/audit-log.js';
import { callerMemory } from '../dist/access/configured/caller-memory.js';
import { compileAccess } from '../dist/access/configured/rules.js';
import { outputRulesOf } from '../dist/access/configured/output.js';
import { storedResults } from '../dist/sources/stored-results.js';
import { memoryStore } from '../dist/state/memory-store.js';

const rounds = 7;
const calls = 4_000;
const inFlight = 32;

const rule = (over) => ({
  confirm: 'caller',
  principals: [],
  roles: [],
  tools: [],
  sources: [],
  labels: [],
  effects: [],
  doors: [],
  args: {},
  ...over,
});
/** Fifty rules, of which ten match the tool; the last one allows. */
const rules = [
  ...Array.from({ length: 40 }, (_, n) => rule({ id: `other-${n}`, action: 'deny', tools: [`other_${n}__*`] })),
  ...Array.from({ length: 5 }, (_, n) =>
    rule({
      id: `args-${n}`,
      action: 'deny',
      tools: ['fetch'],
      args: { host: { domain: [`*.evil-${n}.example`] }, path: { path_prefix: [`/etc/${n}`] } },
    }),
  ),
  ...Array.from({ length: 4 }, (_, n) =>
    rule({
      id: `when-${n}`,
      action: 'confirm',
      tools: ['fetch'],
      when: `args.n > ${calls * 10 + n} && principal.kind == "local"`,
    }),
  ),
  rule({ id: 'rest', action: 'allow' }),
];
const config = {
  ...defaults,
  policy: { ...defaults.policy, rules },
  flows: {
    ...defaults.flows,
    labels: { fetch: ['reads:private'] },
    rules: [{ id: 'flow', after: ['never:seen'], to: ['egress:*'], action: 'deny', confirm: 'caller' }],
  },
  access: {
    ...defaults.access,
    limits: [{ id: 'all', principals: [], roles: [], tools: [], calls_per_minute: 1e9, shared: false }],
  },
};
const words =
  'The meeting of the board takes place on Thursday at ten; the report lists income, costs and open questions of each department. ';
const answer = words.repeat(8).slice(0, 1_000);
const tool = {
  name: 'fetch',
  description: 'Fetches a page',
  source: 'bench',
  effects: { ...readOnly, openWorld: true },
  input: schemaContract({ type: 'object' }),
  limits: { ...defaultLimits, concurrency: 1000, ratePerMinute: 0 },
  // Decoded from bytes, as text from a pipe or a socket is.
  run: (call) => Promise.resolve(done(Buffer.from(`${call.args.n} ${answer}`).toString())),
};
const principal = { id: 'bench', name: 'bench', kind: 'local', roles: ['user'] };
const signal = new AbortController().signal;
// Arguments are parsed, as every transport does.
const aCall = (n) => ({
  id: `c${n}`,
  tool: 'fetch',
  principal,
  via: 'rest',
  args: JSON.parse(`{"n":${n},"host":"api.example.com","path":"/srv/data/file","note":"${n} ${answer}"}`),
  receivedAt: performance.now(),
  signal,
  correlationId: `c${n}`,
});

export async function run() {
  const folder = mkdtempSync(join(tmpdir(), 'toolgate-bench-'));
  const opened = auditLog({ folder, sync: 'never' });
  if (!opened.ok) throw new Error(opened.problem);
  const made = compileAccess(config, callerMemory(config));
  if (!made.ok) throw new Error(JSON.stringify(made.problems));
  const { control, allowances, flows } = made.rules;
  const store = memoryStore();
  const output = outputRulesOf({
    config,
    secrets: ['a-configured-secret-value'],
    results: storedResults({ ttlMs: () => 60_000 }),
    open: () => Promise.resolve(store),
  });
  const approvals = {
    check: () => {
      throw new Error('nothing should be asked');
    },
    attach: () => {
      throw new Error('nothing should be attached');
    },
    withoutOwnAnswers: (call) => call,
  };
  const guards = {
    audit: audit({ log: opened.log }),
    authorize: authorize({ authorizer: control }),
    allowance: allowance({ allowances }),
    confirm: confirm({ policy: control, approvals }),
    flow: flow({ flows }),
    output: sanitize(() => output),
  };
  const subjects = {
    unguarded: tool.run,
    together: compose(
      Object.entries(guards).map(([name, guard]) => ({ name, guard })),
      tool,
      tool.run,
    ),
    ...Object.fromEntries(Object.entries(guards).map(([name, guard]) => [`only ${name}`, guard(tool, tool.run)])),
    'only output without detection': sanitize(() => ({ ...output, checkInjection: undefined }))(tool, tool.run),
  };
  const figures = Object.fromEntries(Object.keys(subjects).map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, handler] of Object.entries(subjects)) figures[name].push(await microseconds(handler));
  }
  opened.log.close();
  rmSync(folder, { recursive: true, force: true });
  const medians = Object.fromEntries(Object.entries(figures).map(([name, values]) => [name, median(values)]));
  const added = Object.fromEntries(
    Object.entries(medians)
      .filter(([name]) => name !== 'unguarded')
      .map(([name, value]) => [name, round(value - medians.unguarded)]),
  );
  return {
    unit: 'µs of processor time that a call of 1 KB gains, median of rounds',
    rules: rules.length,
    calls,
    inFlight,
    rounds,
    added,
  };
}

async function microseconds(handler) {
  const start = process.cpuUsage();
  for (let n = 0; n < calls; n += inFlight) {
    const outcomes = await Promise.all(Array.from({ length: inFlight }, (_, i) => handler(aCall(n + i))));
    outcomes.forEach((outcome, i) => {
      if (outcome.kind !== 'done' || !outcome.content[0].text.startsWith(`${n + i} `))
        throw new Error(`a wrong outcome: ${JSON.stringify(outcome)}`);
    });
  }
  const { user, system } = process.cpuUsage(start);
  return (user + system) / calls;
}

const median = (values) => values.toSorted((x, y) => x - y)[Math.floor(values.length / 2)];
const round = (value) => Math.round(value * 10) / 10;
