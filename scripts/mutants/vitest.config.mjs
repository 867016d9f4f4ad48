// The configuration of mutation runs: only the unit tests beside the mutated files, and no setup that installs or builds. In
// Stryker's copy of the tree `node_modules` is a link to ours, and an install there would empty it.
import { fileURLToPath } from 'node:url';
import base from '../../vitest.config.ts';

export default {
  ...base,
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    ...base.test,
    include: process.env.TOOLGATE_MUTANT_TESTS?.split(',') ?? base.test.include,
    globalSetup: ['./test/support/run-folder.ts'],
  },
};
