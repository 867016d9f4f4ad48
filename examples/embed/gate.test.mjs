// Tests of the example without a socket: `node --test`.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { open } from './gate.mjs';

const stateFolder = mkdtempSync(join(tmpdir(), 'toolgate-embed-'));
let hour = 12;
const gate = await open({ stateFolder, hour: () => hour });
after(async () => {
  await gate.close();
  rmSync(stateFolder, { recursive: true, force: true });
});

const request = (path, body, token = gate.token) =>
  gate.fetch(
    new Request(`http://gate${path}`, {
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    }),
  );

test('the tools of the source are called through the guards', async () => {
  const written = await request('/tools/notes__write/execute', { title: 'a', text: 'first' });
  assert.equal(written.status, 200);
  const read = await request('/tools/notes__read/execute', { title: 'a' });
  assert.match(await read.text(), /first/);
  const invalid = await request('/tools/notes__read/execute', { titel: 'a' });
  assert.equal(invalid.status, 400);
});

test('the guard refuses by its setting, and only the tools it applies to', async () => {
  hour = 20;
  const written = await request('/tools/notes__write/execute', { title: 'b', text: 'late' });
  assert.equal(written.status, 403);
  assert.match(await written.text(), /from 8 to 18/);
  assert.equal((await request('/tools/notes__read/execute', { title: 'a' })).status, 200);
  hour = 12;
});

test('the route needs a credential like every other', async () => {
  assert.equal((await request('/whoami', undefined, 'wrong')).status, 401);
  const answer = await (await request('/whoami')).json();
  assert.ok(answer.roles.includes('admin'), JSON.stringify(answer));
});
