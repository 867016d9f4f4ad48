import { expect, test } from 'vitest';
import { clampNumbers, ranges } from './clamp.js';
import { defaults } from './defaults.js';
import { editorSchema, keysOf } from './keys.js';
import { schema, type Config } from './schema.js';

const configOf = (raw: unknown): Config => schema.parse(raw);

test.each([
  ['circuit_breaker.failure_threshold', { circuit_breaker: { failure_threshold: 0 } }, 0, 1, [1, 10]],
  ['circuit_breaker.failure_threshold', { circuit_breaker: { failure_threshold: 11 } }, 11, 10, [1, 10]],
  ['circuit_breaker.recovery_timeout', { circuit_breaker: { recovery_timeout: 5 } }, 5, 30, [30, 600]],
  ['circuit_breaker.recovery_timeout', { circuit_breaker: { recovery_timeout: 601 } }, 601, 600, [30, 600]],
  ['tool.overrides.nmap.timeout', { tool: { overrides: { nmap: { timeout: 59 } } } }, 59, 60, [60, 3600]],
  ['tool.overrides.nmap.concurrency', { tool: { overrides: { nmap: { concurrency: 6 } } } }, 6, 5, [1, 5]],
  ['tool.overrides.ping.timeout', { tool: { overrides: { ping: { timeout: 0.5 } } } }, 0.5, 1, [1, 3600]],
  ['tool.default_timeout', { tool: { default_timeout: 3601 } }, 3601, 3600, [1, 3600]],
  ['tool.max_args_length', { tool: { max_args_length: 10_241 } }, 10_241, 10_240, [1, 10_240]],
  ['tool.max_stdout_bytes', { tool: { max_stdout_bytes: 1 } }, 1, 1024, [1024, 10_485_760]],
  ['tool.max_stderr_bytes', { tool: { max_stderr_bytes: 99_999_999 } }, 99_999_999, 10_485_760, [1024, 10_485_760]],
  ['server.shutdown_grace_period', { server: { shutdown_grace_period: -1 } }, -1, 0, [0, 300]],
])('%s is clamped to its range and the note explains it [S0.28]', (param, raw, given, used, range) => {
  const { config, notes } = clampNumbers(configOf(raw));
  expect(notes).toEqual([{ event: 'config.clamped', param, given, used, range }]);
  expect(param.split('.').reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], config)).toBe(used);
});

test('what is in range stays as it is, without a note', () => {
  const config = configOf({ tool: { overrides: { ping: { timeout: 1 } } } });
  expect(clampNumbers(config)).toEqual({ config, notes: [] });
});

test('the defaults in code are the defaults of the schema and all in range [S0.5]', () => {
  expect(schema.parse({})).toEqual(defaults);
  expect(clampNumbers(defaults satisfies Config).notes).toEqual([]);
});

test('every number that a file can hold has a range, but for the port, which is refused instead', () => {
  const numbers = keysOf(editorSchema()).filter(({ shape }) => shape.type === 'number' || shape.type === 'integer');
  const without = numbers.map(({ path }) => path.join('.')).filter((path) => !Object.hasOwn(ranges, path));
  // Sources have schemas and limits of their own; numbers in rules are what a call is held against, so they stay as written.
  expect(without.filter((path) => !/^(sources|mcp_tools|access\.limits|policy\.rules)\./.test(path))).toEqual([
    'server.port',
  ]);
});
