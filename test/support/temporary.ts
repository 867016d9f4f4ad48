import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';

/** Runs a clean-up at the end of the running test; outside of tests, at the end of the file or `describe`. */
export function whenDone(cleanUp: () => unknown): void {
  const run = async (): Promise<void> => void (await cleanUp());
  try {
    onTestFinished(run);
  } catch {
    afterAll(run);
  }
}

/** Creates a folder and removes it at the end of the running test; outside of tests, at the end of the file or `describe`. */
export function temporaryFolder(name = 'test'): string {
  const folder = mkdtempSync(join(tmpdir(), `toolgate-${name}-`));
  whenDone(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
