import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { later } from '../clock.js';
import { heldCount, release } from '../lab-source.js';
import { lab } from '../lab.js';
import { code, codes, definition, offers, says, untilActive } from '../observers.js';
import { alone, rowsOver } from '../row.js';
import type { Row } from '../row.js';
import type { Subject } from '../subject.js';

const row = rowsOver({});
const over = (tool: string, more: object = {}) => rowsOver({ tool: { overrides: { [tool]: more } } });

/** What becomes of a second call of `hold`: it runs, waits for a slot, or is refused. */
const secondCall = async (subject: Subject): Promise<string> => {
  const first = subject.call('hold');
  await untilActive(subject, 1);
  const second = subject.call('hold');
  const settled = second.then(({ code: seen }) => seen);
  const turns = 20;
  let seen = 'waits';
  for (let turn = 0; turn < turns && seen === 'waits'; turn += 1) {
    seen = await Promise.race([settled, new Promise<string>((resolve) => setTimeout(resolve, 10, 'waits'))]);
    if (heldCount() === 2) seen = 'runs';
  }
  // Whoever waits gets the slot of the first one, and is released in its turn.
  const both = Promise.all([first, second]);
  while ((await Promise.race([both, new Promise((resolve) => setTimeout(resolve, 2, 'runs'))])) === 'runs') release();
  return seen;
};
/** Whether a call of `hold` is ended by its deadline within a second and a half. */
const timesOut =
  (args: object = {}) =>
  async (subject: Subject): Promise<boolean> => {
    const call = subject.call('hold', args);
    const seen = await Promise.race([
      call.then(({ code: seen }) => seen),
      new Promise<string>((resolve) => setTimeout(resolve, 1_500, 'runs')),
    ]);
    release();
    await call;
    return seen === 'timeout';
  };
/** Whether the breaker of `fail` stays open for more than so many seconds after it opened for the nth time; it is closed again. */
const restsLonger =
  (seconds: number, times = 1) =>
  async (subject: Subject): Promise<boolean> => {
    for (let turn = 0; turn < times; turn += 1) await later(turn * 1000, () => subject.call('fail'));
    const { answer } = await subject.call('fail');
    await subject.send('/tools/fail/breaker/reset', { method: 'POST' });
    return Number(answer.headers.get('retry-after')) > seconds;
  };
const breakerOf = (more: object) => rowsOver({ circuit_breaker: { failure_threshold: 1, jitter: 0, ...more } });

/** Whether the breaker rests for exactly the configured time, whenever it opens. */
const alwaysRests = async (subject: Subject): Promise<boolean> => {
  const rests = new Set<string | null>();
  for (let turn = 0; turn < 6; turn += 1) {
    await subject.call('fail');
    rests.add((await subject.call('fail')).answer.headers.get('retry-after'));
    await subject.send('/tools/fail/breaker/reset', { method: 'POST' });
  }
  return rests.size === 1;
};
const crowd = Array.from({ length: 120 }, (_, at) => {
  const token = `caller-${at}-with-a-token-of-32-characters`;
  return { name: `c${at}`, token, sha256: createHash('sha256').update(token).digest('hex') };
});
/** What a caller that spent its call gets after many others. */
const afterOthers = async (subject: Subject): Promise<string> => {
  await subject.call('rated');
  for (const { token } of crowd) await subject.call('rated', {}, { token });
  return code('rated')(subject);
};

// Programs that report their limits, and print more than they may.
const folder = join(lab.folder, 'commands');
mkdirSync(folder);
const manifest = (name: string, command: string, words: readonly string[]): void =>
  writeFileSync(
    join(folder, `${name}.tool.yaml`),
    `command: ${command}\nname: ${name}\ndescription: ${name}\nflags: {}\nalways: ${JSON.stringify(words)}\ntarget: { kind: none }\nlimits: { on_output_limit: drain }\n`,
  );
manifest('memory', 'prlimit', ['--noheadings', '--output=SOFT', '--as']);
manifest('files', 'prlimit', ['--noheadings', '--output=SOFT', '--nofile']);
manifest('prints', 'seq', ['2000']);
manifest(
  'complains',
  'ls',
  Array.from({ length: 20 }, (_, at) => `/nowhere/${'x'.repeat(200)}${at}`),
);
writeFileSync(
  join(folder, 'reach.tool.yaml'),
  'command: echo\nname: reach\ndescription: reach\nextra_args: true\nflags:\n  loud: { flag: -n, type: boolean, needs: [intrusive] }\ntarget: { kind: host }\n',
);
const commands = (more: object = {}) =>
  rowsOver({ commands: { directories: [folder] }, rate_limit: { requests: 0 }, ...more });
const printed =
  (tool: string, part: (answer: { stdout: string; stderr: string }) => unknown) =>
  async (subject: Subject): Promise<unknown> =>
    part((await subject.call(tool)).answer.json);
const reach = (target: string, more: object = {}) => code('reach', { target, ...more });
const commandOver = (name: string) => commands({ tool: { overrides: { [name]: {} } } });
const net = (policy: object) => commands({ security: { default_policy: 'lab', network_policies: { lab: policy } } });

export const toolRows: readonly Row[] = [
  row('tool.default_timeout', [300, 1], timesOut(), [false, true]),
  row('tool.default_concurrency', [1, 5], secondCall, ['busy', 'runs'], { tool: { queue_length: 0 } }),
  row('tool.queue_length', [0, 5], secondCall, ['busy', 'waits'], { tool: { default_concurrency: 1 } }),
  row('tool.queue_timeout', [0, 30], secondCall, ['busy', 'waits'], { tool: { default_concurrency: 1 } }),
  commands()(
    'tool.max_args_length',
    [2, 100],
    says('reach', 'is longer than', { target: '127.0.0.1', extra_args: '--nothing' }),
    [true, false],
  ),
  commands()(
    'tool.max_stdout_bytes',
    [1024, 10_000],
    printed('prints', ({ stdout }) => stdout.length > 2000),
    [false, true],
  ),
  commands()(
    'tool.max_stderr_bytes',
    [1024, 10_000],
    printed('complains', ({ stderr }) => stderr.length > 2000),
    [false, true],
  ),
  commands()(
    'tool.max_memory_mb',
    [256, 300],
    printed('memory', ({ stdout }) => Number(stdout)),
    [256 * 1_048_576, 300 * 1_048_576],
  ),
  commands()(
    'tool.max_file_descriptors',
    [32, 64],
    printed('files', ({ stdout }) => Number(stdout)),
    [32, 64],
  ),
  row('tool.include', [[], ['say']], offers('read'), [true, false]),
  row('tool.exclude', [[], ['say']], offers('say'), [true, false]),
  row(
    'tool.search',
    [false, true],
    async (subject) =>
      (await subject.mcp('tools/list')).tools.some(({ name }: { name: string }) => name === 'search_tools'),
    [false, true],
  ),
  over('say')('tool.overrides.*.enabled', [true, false], code('say'), ['ok', 'not_found']),
  over('say')('tool.overrides.*.name', ['say', 'speak'], code('speak'), ['not_found', 'ok']),
  over('say')(
    'tool.overrides.*.title',
    ['One', 'Two'],
    definition('say', ({ title }) => title),
    ['One', 'Two'],
  ),
  over('say')(
    'tool.overrides.*.description',
    ['Says one thing', 'Says another'],
    definition('say', ({ description }) => description),
    ['Says one thing', 'Says another'],
  ),
  over('hold')('tool.overrides.*.timeout', [300, 1], timesOut(), [false, true]),
  over('hold', { timeout: 5 })('tool.overrides.*.max_timeout', [300, 1], timesOut(), [false, true]),
  over('hold')('tool.overrides.*.concurrency', [1, 5], secondCall, ['waits', 'runs']),
  alone(
    over('rated')('tool.overrides.*.rate', [2, 1], codes(3, 'rated'), [
      'ok ok rate_limited',
      'rate_limited rate_limited rate_limited',
    ]),
  ),
  alone(
    over('fail', { breaker: {} })('tool.overrides.*.breaker.failure_threshold', [3, 1], codes(2, 'fail'), [
      'crashed crashed',
      'crashed circuit_open',
    ]),
  ),
  alone(
    over('fail', { breaker: { failure_threshold: 1 } })(
      'tool.overrides.*.breaker.recovery_timeout',
      [30, 600],
      restsLonger(100),
      [false, true],
      { circuit_breaker: { jitter: 0, max_recovery_timeout: 3600 } },
    ),
  ),
  over('say')(
    'tool.overrides.*.tasks',
    ['forbidden', 'required'],
    async (subject) => (await subject.mcp('tools/call', { name: 'say', arguments: {} })).content !== undefined,
    [true, false],
  ),
  over('say', { effects: {} })('tool.overrides.*.effects.reads', [true, false], code('say'), ['not_found', 'ok'], {
    policy: {
      rules: [
        { id: 'a', action: 'deny', effects: ['reads'] },
        { id: 'b', action: 'allow' },
      ],
    },
  }),
  over('say', { effects: {} })(
    'tool.overrides.*.effects.writes',
    [false, true],
    definition('say', ({ annotations }) => annotations.readOnlyHint),
    [true, false],
  ),
  over('write', { effects: {} })(
    'tool.overrides.*.effects.destroys',
    [true, false],
    definition('write', ({ annotations }) => annotations.destructiveHint),
    [true, false],
  ),
  over('write', { effects: {} })(
    'tool.overrides.*.effects.idempotent',
    [true, false],
    definition('write', ({ annotations }) => annotations.idempotentHint),
    [true, false],
  ),
  over('write', { effects: {} })(
    'tool.overrides.*.effects.open_world',
    [true, false],
    definition('write', ({ annotations }) => annotations.openWorldHint),
    [true, false],
  ),
  commandOver('reach')('tool.overrides.*.policy', ['loopback', 'rfc1918'], reach('127.0.0.1'), [
    'ok',
    'invalid_arguments',
  ]),
  commandOver('prints')(
    'tool.overrides.*.max_stdout_bytes',
    [1024, 10_000],
    printed('prints', ({ stdout }) => stdout.length > 2000),
    [false, true],
  ),
  commandOver('complains')(
    'tool.overrides.*.max_stderr_bytes',
    [1024, 10_000],
    printed('complains', ({ stderr }) => stderr.length > 2000),
    [false, true],
  ),
  commandOver('memory')(
    'tool.overrides.*.max_memory_mb',
    [256, 300],
    printed('memory', ({ stdout }) => Number(stdout)),
    [256 * 1_048_576, 300 * 1_048_576],
  ),
  commandOver('files')(
    'tool.overrides.*.max_file_descriptors',
    [32, 64],
    printed('files', ({ stdout }) => Number(stdout)),
    [32, 64],
  ),
  alone(
    breakerOf({})('circuit_breaker.failure_threshold', [3, 1], codes(2, 'fail'), [
      'crashed crashed',
      'crashed circuit_open',
    ]),
  ),
  alone(
    breakerOf({ max_recovery_timeout: 3600 })('circuit_breaker.recovery_timeout', [30, 600], restsLonger(100), [
      false,
      true,
    ]),
  ),
  alone(
    breakerOf({ recovery_timeout: 30, max_recovery_timeout: 3600 })(
      'circuit_breaker.backoff_factor',
      [1, 10],
      restsLonger(100, 2),
      [false, true],
    ),
  ),
  alone(
    breakerOf({ recovery_timeout: 30, backoff_factor: 10 })(
      'circuit_breaker.max_recovery_timeout',
      [30, 3600],
      restsLonger(100, 2),
      [false, true],
    ),
  ),
  alone(breakerOf({ recovery_timeout: 30 })('circuit_breaker.jitter', [0, 0.5], alwaysRests, [true, false])),
  alone(
    row('rate_limit.max_keys', [100, 1000], afterOthers, ['ok', 'rate_limited'], {
      auth: { tokens: crowd.map(({ name, sha256 }) => ({ name, sha256 })) },
      tool: { overrides: { rated: { rate: 1 } } },
    }),
  ),
  alone(
    row('rate_limit.requests', [2, 1], codes(3, 'rated'), [
      'ok ok rate_limited',
      'rate_limited rate_limited rate_limited',
    ]),
  ),
  alone(
    row(
      'rate_limit.burst',
      [undefined, 1],
      async (subject) => codes(2, 'rated', {}, { token: subject.embedded.token })(subject),
      ['ok ok', 'ok rate_limited'],
      { rate_limit: { requests: 60 } },
    ),
  ),
  commands()('security.allow_intrusive', [false, true], reach('127.0.0.1', { loud: true }), ['policy_denied', 'ok']),
  commands()('security.default_policy', ['loopback', 'rfc1918'], reach('127.0.0.1'), ['ok', 'invalid_arguments']),
  net({})('security.network_policies.*.allow', [['loopback'], ['rfc1918']], reach('127.0.0.1'), [
    'ok',
    'invalid_arguments',
  ]),
  net({})('security.network_policies.*.cidrs', [['127.0.0.0/8'], ['10.0.0.0/8']], reach('127.0.0.1'), [
    'ok',
    'invalid_arguments',
  ]),
  net({ cidrs: ['127.0.0.0/8', '::1/128'] })(
    'security.network_policies.*.hosts',
    [['localhost'], ['other.example']],
    reach('localhost'),
    ['ok', 'invalid_arguments'],
  ),
  net({ allow: ['loopback'] })('security.network_policies.*.deny', [[], ['127.0.0.1/32']], reach('127.0.0.1'), [
    'ok',
    'invalid_arguments',
  ]),
  row('commands.directories', [[], [folder]], offers('reach'), [false, true]),
  row('commands.builtins', [false, true], offers('ping'), [false, true]),
  commands()(
    'commands.sandbox.tier',
    ['auto', 'none'],
    printed('files', ({ stdout }) => Number(stdout) === 256),
    [true, false],
  ),
  rowsOver({ commands: { builtins: true }, rate_limit: { requests: 0 } })(
    'commands.http_fetch.ports',
    [[80], 'any'],
    code('http_fetch', { url: `${lab.url}/x` }),
    ['invalid_arguments', 'ok'],
  ),
];
