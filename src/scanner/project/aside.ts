const asideFolder =
  /(?:^|\/)(?:tests?|__tests__|specs?|e2e|fixtures?|__fixtures__|mocks?|__mocks__|examples?|samples?|demos?|docs?|benchmarks?|bench|testing|integration-tests?|evals?|evaluations?)\//i;
const asideFile =
  /(?:^|\/)(?:test_[^/]*|[^/]*_test|conftest|setup|noxfile|tasks)\.py$|\.(?:test|spec|stories|bench|config)\.[mc]?[jt]sx?$/i;

/** Code beside the program: tests, examples, configuration. It counts only where the program imports it. */
export const isAside = (path: string): boolean => asideFolder.test(path) || asideFile.test(path);
