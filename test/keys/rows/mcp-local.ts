import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { later } from '../clock.js';
import { lab } from '../lab.js';
import { code, offers } from '../observers.js';
import { alone, rowsOver } from '../row.js';
import type { Row } from '../row.js';
import { env } from '../subject.js';
import type { Subject } from '../subject.js';

const script = fileURLToPath(new URL('../probe-server.mjs', import.meta.url));
const key = 'sources.*.(mcp)';
const bob = { token: env.LAB_B };
const base = (entry: object): object => ({
  rate_limit: { requests: 0 },
  server: { shutdown_grace_period: 0 },
  auth: { tokens: [{ name: 'bob', token: '${LAB_B}' }] },
  sources: { fix: { kind: 'mcp', command: process.execPath, args: [script], admission: 'open', ...entry } },
});
const local = (entry: object = {}) => rowsOver(base(entry));
/** Limits alone: starts fast and sees all files. */
const plain = (entry: object = {}) => local({ sandbox: { tier: 'prlimit' }, ...entry });
const boxed = (sandbox: object = {}) => local({ sandbox: { profile: 'guarded', tier: 'bwrap', ...sandbox } });
const strict = (sandbox: object = {}) =>
  local({ sandbox: { tier: 'bwrap', profile: 'strict', readable: [join(script, '..')], ...sandbox } });

const text = async (subject: Subject, what: string, value?: unknown, sending: object = {}): Promise<string> => {
  const { answer, code: seen } = await subject.call('fix__probe', { what, value }, sending);
  return answer.json.content?.[0]?.text ?? seen;
};
const probe =
  (what: string, value?: unknown, part: (found: string) => unknown = (found) => found) =>
  async (subject: Subject): Promise<unknown> =>
    part(await text(subject, what, value));
const soft = (found: string): number => Number(/(\d+)/.exec(found)?.[1]);
/** Whether two calls meet the same process. */
const sameProcess =
  (between: (subject: Subject) => Promise<unknown> = async () => undefined, second: object = {}) =>
  async (subject: Subject): Promise<boolean> => {
    const before = await text(subject, 'pid');
    await between(subject);
    return before === (await text(subject, 'pid', undefined, second));
  };
/** Whether a process is still in use after two thousand seconds; connections are looked at once a second. */
const isKept = async (subject: Subject): Promise<boolean> => {
  const before = await text(subject, 'pid');
  await later(2_000, () => new Promise((resolve) => setTimeout(resolve, 1_200)));
  return before === (await text(subject, 'pid'));
};
/** Whether a call is ended by its deadline within a second and a half. */
const timesOut = async (subject: Subject): Promise<boolean> => {
  const seen = await Promise.race([
    text(subject, 'hang'),
    new Promise<string>((resolve) => setTimeout(resolve, 1_600, 'runs')),
  ]);
  return seen === 'timeout';
};

const folder = join(lab.folder, 'seen');
mkdirSync(folder);
writeFileSync(join(folder, 'note'), 'the note');
const note = join(folder, 'note');
const there = (found: string): boolean => found === 'the note';

export const localMcpRows: readonly Row[] = [
  plain()(`${key}.enabled`, [true, false], offers('fix__probe'), [true, false]),
  plain()(`${key}.command`, [process.execPath, '/bin/false'], offers('fix__probe'), [true, false]),
  local({ command: undefined, sandbox: { tier: 'prlimit' } })(
    `${key}.runtime`,
    ['node', 'python'],
    offers('fix__probe'),
    [true, false],
  ),
  plain()(
    `${key}.args`,
    [
      [script, 'one'],
      [script, 'two'],
    ],
    probe('args'),
    ['one', 'two'],
  ),
  plain()(`${key}.env`, [{ LAB_X: 'one' }, { LAB_X: 'two' }], probe('env', 'LAB_X'), ['one', 'two']),
  plain()(
    `${key}.pass_env`,
    [[], ['LAB_A']],
    probe('env', 'LAB_A', (found) => found === 'unset'),
    [true, false],
  ),
  plain()(`${key}.required_env`, [[], ['LAB_MISSING']], code('fix__probe', { what: 'cwd' }), ['ok', 'not_found']),
  plain()(`${key}.cwd`, [lab.folder, folder], probe('cwd'), [lab.folder, folder]),
  local()(`${key}.sandbox.tier`, ['prlimit', 'bwrap'], probe('read', note, there), [true, false]),
  boxed()(
    `${key}.sandbox.profile`,
    ['guarded', 'strict'],
    probe('read', '/etc/hostname', (found) => found.startsWith('refused')),
    [false, true],
    {
      sources: { fix: { sandbox: { readable: [join(script, '..')] } } },
    },
  ),
  boxed()(`${key}.sandbox.network`, ['host', 'none'], probe('net', lab.port), ['reached', 'refused']),
  strict()(
    `${key}.sandbox.readable`,
    [[join(script, '..')], [join(script, '..'), folder]],
    probe('read', note, there),
    [false, true],
  ),
  strict()(`${key}.sandbox.writable`, [[], [folder]], probe('write', join(folder, 'new')), [
    'refused: ENOENT',
    'written',
  ]),
  boxed()(
    `${key}.sandbox.masked`,
    [[], ['/etc/hostname']],
    probe('read', '/etc/hostname', (found) => found === '' || found.startsWith('refused')),
    [false, true],
  ),
  boxed({ masked: ['/etc/hostname'] })(
    `${key}.sandbox.unmasked`,
    [[], ['/etc/hostname']],
    probe('read', '/etc/hostname', (found) => found === '' || found.startsWith('refused')),
    [true, false],
  ),
  boxed()(`${key}.sandbox.tmp_mb`, [16, 32], probe('tmp', undefined, Number), [16 * 1_048_576, 32 * 1_048_576]),
  plain()(`${key}.sandbox.memory_mb`, [4096, 8192], probe('limits', 'Max address space', soft), [
    4096 * 1_048_576,
    8192 * 1_048_576,
  ]),
  plain()(`${key}.sandbox.cpu_seconds`, [50, 60], probe('limits', 'Max cpu time', soft), [50, 60]),
  plain()(`${key}.sandbox.open_files`, [100, 200], probe('limits', 'Max open files', soft), [100, 200]),
  plain()(`${key}.lifecycle`, ['singleton', 'transient'], sameProcess(), [true, false]),
  plain()(`${key}.idle_seconds`, [100_000, 1000], isKept, [true, false]),
  plain({ idle_seconds: 1_000_000 })(`${key}.max_age_seconds`, [1_000_000, 1000], isKept, [true, false]),
  plain()(`${key}.max_calls`, [100, 1], sameProcess(), [true, false]),
  plain()(`${key}.sharing`, ['all', 'principal'], sameProcess(undefined, bob), [true, false]),
  alone(
    plain()(
      `${key}.max_connections`,
      [1, 2],
      async (subject) => {
        const running = subject.call('fix__probe', { what: 'hang' }).catch(() => undefined);
        while (subject.embedded.gate.gateway.active() < 1) await new Promise((resolve) => setImmediate(resolve));
        const seen = await Promise.race([
          text(subject, 'cwd', undefined, bob),
          new Promise<string>((resolve) => setTimeout(resolve, 1_000, 'waits')),
        ]);
        void running;
        return seen === 'waits' || seen === 'busy' ? 'no connection' : 'answered';
      },
      ['no connection', 'answered'],
    ),
  ),
  plain()(`${key}.prefix`, [undefined, 'none'], offers('probe'), [false, true]),
  alone(plain()(`${key}.timeout`, [120, 1], timesOut, [false, true])),
  alone(plain({ timeout: 100 })(`${key}.max_timeout`, [120, 1], timesOut, [false, true])),
  plain({ env: { PROBE_WAIT_MS: '900' }, startup_budget: 5 })(
    `${key}.connect_timeout`,
    [0.3, 30],
    offers('fix__probe'),
    [false, true],
  ),
  alone(
    plain({ env: { PROBE_WAIT_MS: '900' } })(`${key}.startup_budget`, [0.2, 20], offers('fix__probe'), [false, true]),
  ),
  plain({})(
    `${key}.max_output_bytes`,
    [1024, 100_000],
    probe('long', 5_000, (found) => found.length > 3000),
    [false, true],
  ),
  alone(
    plain()(
      `${key}.concurrency`,
      [1, 5],
      async (subject) => {
        const running = subject.call('fix__probe', { what: 'hang' }).catch(() => undefined);
        while (subject.embedded.gate.gateway.active() < 1) await new Promise((resolve) => setImmediate(resolve));
        void running;
        return code('fix__probe', { what: 'cwd' })(subject);
      },
      ['busy', 'ok'],
      { tool: { queue_length: 0, queue_timeout: 0 } },
    ),
  ),
  rowsOver(base({ sandbox: { tier: 'prlimit', network: 'none' } }))(
    'security.best_effort_sandbox',
    [false, true],
    offers('fix__probe'),
    [false, true],
  ),
];
