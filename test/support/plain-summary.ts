import type { Reporter, TestCase, TestModule } from 'vitest/node';

/** Ends a CI run with the tests that passed only at their second attempt, and one plain line that any log reader understands. */
export default class PlainSummary implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const count = { passed: 0, failed: 0, skipped: 0, pending: 0 };
    const flaky: TestCase[] = [];
    for (const module of modules)
      for (const test of module.children.allTests()) {
        count[test.result().state] += 1;
        if (test.diagnostic()?.flaky === true) flaky.push(test);
      }
    for (const test of flaky) console.log(`flaky: ${test.module.relativeModuleId}: ${test.fullName}`);
    const broken = modules.filter((module) => module.errors().length > 0).length;
    console.log(`\n${count.passed} passed, ${count.failed + broken} failed, ${count.skipped + count.pending} skipped`);
  }
}
