import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/support/temporary.js';
import { config } from './config.js';
import { missingProgram, programFindings } from './missing-program.js';

const folder = temporaryFolder();
writeFileSync(join(folder, 'here.mjs'), '');

test.each([
  [{ program: process.execPath, args: ['here.mjs'] }, undefined],
  [{ program: process.execPath, args: ['gone.mjs'] }, 'its script gone.mjs does not exist'],
  [{ program: process.execPath, args: ['--import', 'gone.mjs'] }, undefined],
  [{ program: 'no-such-program-7', args: [] }, 'no-such-program-7 is not installed'],
  [{ program: join(folder, 'gone'), args: [] }, 'gone is not installed: no such file'],
  [{ program: join(folder, 'here.mjs'), args: [] }, 'here.mjs is not installed: the file is not executable'],
  [{ program: '/bin/cat', args: ['gone.mjs'] }, undefined],
])('%j: %s', async (command, problem) => {
  expect(await missingProgram(command, folder)).toBe(problem);
});

test.each([
  [{ runtime: 'node', args: ['./gone.mjs'] }, 'args'],
  [{ command: '/no/such/program' }, 'command'],
  [{ runtime: 'node', args: ['./here.mjs'] }, undefined],
  [{ runtime: 'npx', package: 'a@1.0.0' }, undefined],
  [{ url: 'https://mcp.example/mcp' }, undefined],
])('check reports %j by its key: %s', async (entry, key) => {
  const findings = await programFindings(config.parse({ kind: 'mcp', ...entry }), folder);
  expect(findings.map((finding) => finding.key)).toEqual(key === undefined ? [] : [key]);
});
