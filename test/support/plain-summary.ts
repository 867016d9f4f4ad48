import type { Reporter, TestModule } from 'vitest/node';

/** Ends a CI run with one plain line that any log reader understands. */
export default class PlainSummary implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const count = { passed: 0, failed: 0, skipped: 0, pending: 0 };
    for (const module of modules) for (const test of module.children.allTests()) count[test.result().state] += 1;
    const broken = modules.filter((module) => module.errors().length > 0).length;
    console.log(`\n${count.passed} passed, ${count.failed + broken} failed, ${count.skipped + count.pending} skipped`);
  }
}
