import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // Deadlines only end runs that hang: real processes on a loaded machine take their time.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
    pool: 'forks',
    globalSetup: ['./test/support/build.ts', './test/support/run-folder.ts'],
    reporters: process.env['CI'] ? ['default', './test/support/plain-summary.ts'] : ['default'],
  },
});
