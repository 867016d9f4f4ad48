import { spawnSync } from 'node:child_process';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { aCall } from '../../../test/support/make.js';
import { aProgram } from '../../../test/support/program.js';
import { levelOf, log, type LogEvent, type LogOptions } from './log.js';
import { logEvents } from './log-events.js';

/** What the log wrote for what is done with it. */
function written(use: (to: ReturnType<typeof log>) => void, options: LogOptions = {}): string {
  let text = '';
  use(log({ level: 'debug', now: () => new Date(0), ...options, write: (line) => void (text += line) }));
  return text;
}

test('an event is one JSON line with time, level, event and its fields', () => {
  const text = written((to) => to.event('tool.end', { command: 'ping', returncode: 0, gone: undefined }));
  expect(text).toBe(
    '{"level":"info","time":"1970-01-01T00:00:00.000Z","command":"ping","returncode":0,"event":"tool.end"}\n',
  );
});

test.each<[LogEvent, string, Record<string, unknown>]>([
  ['tool.start', 'info', { tool: 'ping' }],
  ['tool.end', 'info', { command: 'ping', returncode: 0 }],
  ['tool.error', 'error', { tool: 'ping' }],
  ['tool.result_truncated', 'warning', { original_size: 10, truncated_size: 5 }],
  ['tool_discovery.tool_loaded', 'info', { name: 'ping' }],
  ['nmap.intrusive_script_blocked', 'warning', { script: 'vuln' }],
  ['circuit_breaker.state_changed', 'warning', { tool: 'ping', old: 'closed', new: 'open' }],
  ['rate_limiter.cleanup', 'debug', { removed: 3 }],
  ['resource_limits.failed', 'error', { limit: 'as' }],
  ['server.shutdown_forced', 'warning', {}],
])('%s is an event of level %s [S0.122] [S0.91]', (event, level, fields) => {
  expect(JSON.parse(written((to) => to.event(event, fields)))).toMatchObject({ event, level, ...fields });
});

test.each([
  ['DEBUG', ['debug', 'info', 'warning', 'error']],
  ['Info', ['info', 'warning', 'error']],
  ['warning', ['warning', 'error']],
  ['ERROR', ['error']],
  ['nonsense', ['info', 'warning', 'error']],
])('LOG_LEVEL %s writes %j', (level, expected) => {
  const use = (to: ReturnType<typeof log>): void => {
    for (const event of ['health.check', 'tool.start', 'tool.refused', 'tool.error'] as const) to.event(event);
  };
  const lines = written(use, { level }).trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line).level)).toEqual(expected);
});

test('an unknown level is no level', () => {
  expect(levelOf('loud')).toBeUndefined();
  expect(levelOf(' WARN ')).toBe('warning');
});

test('configured secrets and fields that name one never reach the log', () => {
  const use = (to: ReturnType<typeof log>): void =>
    to.event('tool.error', {
      message: 'it said hunter2hunter2 aloud',
      password: 'p',
      apiKey: 'k',
      Authorization: 'Bearer b',
      nested: { 'client-secret': 's', list: ['x hunter2hunter2'] },
      key_hunter2hunter2: 1,
      tokenFile: '/home/token',
      error: new Error('hunter2hunter2'),
    });
  for (const format of ['json', 'text'] as const) {
    const text = written(use, { format, secrets: ['hunter2hunter2'] });
    expect(text).not.toMatch(/hunter2hunter2|"p"|=p |"k"|Bearer b|"s"/);
    expect(text).toContain('/home/token');
  }
});

test('secrets learnt later are hidden from then on, and the earlier ones still are', () => {
  const text = written(
    (to) => {
      to.hide(['correct-horse']);
      to.hide(['battery-staple']);
      to.event('tool.error', { message: 'first-secret correct-horse battery-staple' });
    },
    { secrets: ['first-secret'] },
  );
  expect(text).not.toMatch(/first|horse|battery/);
});

test.each([
  ['a line feed', 'x\n1970-01-01T00:00:00.000Z INFO    tool.end forged=1'],
  ['a carriage return', 'x\rINFO tool.end'],
  ['an ANSI escape', '\x1b[2J\x1b]0;title\x07'],
  ['a one-byte escape', '\x9b2J'],
  ['a line separator', 'x\u2028INFO'],
  ['a right-to-left override', '\u202etxt.exe'],
  ['zero-width characters', 'a\u200bb\ufeff'],
  ['hidden tag characters', 'x\u{e0041}\u{e0042}'],
  ['a quote that would end the value', 'x" event=tool.end forged="1'],
])('%s in a value or a key cannot make a line or act on a terminal', (_, hostile) => {
  for (const format of ['json', 'text'] as const) {
    const text = written((to) => to.event('upstream.stderr', { line: hostile, [hostile]: 1 }), { format });
    expect(text.split('\n')).toHaveLength(2);
    expect(text.slice(0, -1)).not.toMatch(/[\x00-\x1f\x7f-\x9f\u2028\u2029\u202e\u200b\ufeff]|\udb40/);
    if (format === 'json') expect(JSON.parse(text).line).toBe(hostile);
    else expect(text).not.toMatch(/^\S+ +\S+ +tool\.end|[^\\]" event=tool\.end/m);
  }
});

test('whatever the fields hold, a text event is one line that begins with its own time', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (fields) => {
      const text = written((to) => to.event('tool.refused', fields), { format: 'text' });
      expect(text).toMatch(/^1970-01-01T00:00:00\.000Z WARNING tool\.refused[^\n]*\n$/);
    }),
  );
});

test('whatever the fields hold, a JSON event is one line whose own names cannot be replaced', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.oneof(fc.constantFrom('event', 'level', 'time', '__proto__'), fc.string()), fc.jsonValue()),
      (fields) => {
        const text = written((to) => to.event('tool.refused', fields));
        expect(text.indexOf('\n')).toBe(text.length - 1);
        expect(JSON.parse(text)).toMatchObject({
          event: 'tool.refused',
          level: 'warning',
          time: '1970-01-01T00:00:00.000Z',
        });
        expect(text.match(/"event":"tool.refused"/g)).toHaveLength(1);
      },
    ),
  );
});

test('plain fields and all others are written the same way', () => {
  const value = fc.oneof(
    fc.string(),
    fc.string({ unit: fc.constantFrom('a', 'Z', '9', '-', ' ', '"', '\\', '\u00e9', '\u202e') }),
    fc.integer(),
    fc.double(),
    fc.boolean(),
    fc.constantFrom(null, undefined, 'hunter2hunter2', 'x'.repeat(300), 'AKIAABCDEFGHIJKLMNOP', '\u007f'),
  );
  const key = fc.constantFrom('tool', 'via', 'call', 'principal', 'n', 'api_key', 'token', 'time', 'Odd Key', '7');
  fc.assert(
    fc.property(fc.dictionary(key, value), (fields) => {
      const secrets = ['hunter2hunter2'];
      const one = written((to) => to.event('tool.end', fields), { secrets });
      // A field that is not plain takes the line out of the fast path.
      const general = written((to) => to.event('tool.end', { ...fields, zz: [] }), { secrets });
      expect(general).toBe(one.replace(/,"event":"tool\.end"\}\n$/, ',"zz":[],"event":"tool.end"}\n'));
    }),
    { numRuns: 2_000 },
  );
});

test('a string longer than a line may be is cut and marked', () => {
  const text = written((to) => to.event('tool.error', { message: 'é'.repeat(100_000) }));
  expect(text.length).toBeLessThan(10_000);
  expect(text).toContain('(100000 characters)');
});

test('text is coloured only where asked', () => {
  expect(written((to) => to.event('tool.error'), { format: 'text', colour: true })).toContain('\x1b[31mERROR');
  expect(written((to) => to.event('tool.error'), { format: 'text' })).not.toContain('\x1b');
});

test('a fault keeps the stack and the ids it is found by', () => {
  const call = aCall({ trace: { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` } });
  const line = JSON.parse(written((to) => to.fault(new TypeError('oops'), call)));
  expect(line).toMatchObject({
    event: 'tool.fault',
    error: 'TypeError',
    message: 'oops',
    correlation_id: 'c1',
    trace_id: 'a'.repeat(32),
    span_id: 'b'.repeat(16),
  });
  expect(line.stack).toContain('log.test');
});

test.each([[null], [undefined], ['text'], [{ toString: null }], [Symbol('s')]])(
  'a fault may be anything thrown: %s',
  (thrown) => {
    expect(written((to) => to.fault(thrown, aCall()))).toContain('tool.fault');
  },
);

test('fields that JSON has no form for do not break the log', () => {
  const ring: Record<string, unknown> = {};
  ring['ring'] = ring;
  const text = written((to) =>
    to.event('tool.error', { ring, big: 10n, deep: { big: 1n }, fn: () => 1, date: new Date(0) }),
  );
  expect(JSON.parse(text)).toMatchObject({ event: 'tool.error', big: '10' });
});

test('lines go to stderr, and stdout stays empty, for every event', () => {
  const program = aProgram(
    `import { log } from './src/observe/log/log.js';
     import { logEvents } from './src/observe/log/log-events.js';
     const to = log({ level: 'debug', format: process.argv[2] });
     for (const name of Object.keys(logEvents)) to.event(name, { tool: 'ping' });`,
  );
  for (const format of ['json', 'text']) {
    const run = spawnSync(process.execPath, [program, format], { encoding: 'utf8' });
    expect(run.stdout).toBe('');
    expect(run.stderr.trimEnd().split('\n')).toHaveLength(Object.keys(logEvents).length);
  }
});

test('a closed stderr does not end the program', () => {
  const program = aProgram(
    `import { closeSync } from 'node:fs';
     import { log } from './src/observe/log/log.js';
     closeSync(2);
     log().event('tool.error');
     console.log('alive');`,
  );
  expect(spawnSync(process.execPath, [program], { encoding: 'utf8' }).stdout).toBe('alive\n');
});
