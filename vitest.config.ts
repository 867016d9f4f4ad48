import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    pool: 'forks',
    globalSetup: './test/support/build.ts',
    reporters: process.env['CI'] ? ['default', './test/support/plain-summary.ts'] : ['default'],
  },
});
