import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { alias: { 'fast-check': new URL('./test/support/fast-check.ts', import.meta.url).pathname } },
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // Deadlines only end runs that hang: real processes on a loaded machine take their time.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
    // One second attempt in CI, and its use is printed as `flaky:`; property tests are seeded, so it cannot hide a counterexample.
    retry: process.env['CI'] ? 1 : 0,
    pool: 'forks',
    globalSetup: ['./test/support/build.ts', './test/support/run-folder.ts'],
    reporters: process.env['CI'] ? ['default', './test/support/plain-summary.ts'] : ['default'],
  },
});
