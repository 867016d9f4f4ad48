// Some promises can only be tested on the built program (the spawn broker, the CLI), so a test run brings dist/ up to date first.
import { spawnSync } from 'node:child_process';

export default function build(): void {
  const { status } = spawnSync(process.execPath, ['scripts/setup.mjs', '--build'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) process.stderr.write('The build failed: tests of the built program use an older dist/\n');
}
