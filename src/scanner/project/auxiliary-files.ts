const auxiliaryFolder =
  /(?:^|\/)(?:tests?|__tests__|specs?|e2e|fixtures?|__fixtures__|mocks?|__mocks__|examples?|samples?|demos?|docs?|benchmarks?|bench|testing|integration-tests?|evals?|evaluations?|node_modules|site-packages)\//i;
const auxiliaryFile =
  /(?:^|\/)(?:test_[^/]*|[^/]*_test|conftest|setup|noxfile|tasks)\.py$|\.(?:test|spec|stories|bench|config)\.[mc]?[jt]sx?$/i;

/** Whether a path is a test, an example, a dependency or tool configuration; such code counts only if the program imports it. */
export const isAuxiliary = (path: string): boolean => auxiliaryFolder.test(path) || auxiliaryFile.test(path);
