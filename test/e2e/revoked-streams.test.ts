import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { aPlace, serving, toolgate } from '../support/toolgate.js';

const bob = 'bob-token-of-at-least-32-characters-0001';
const quiet = 'log: { level: info }\n';
const withBob = `${quiet}auth: { tokens: [{ name: bob, token: "${bob}", roles: [admin] }] }\n`;

test('open event streams end with their credential: a token that a reload removes, a key that is revoked; others stay open', async () => {
  const place = aPlace({ 'toolgate.yaml': withBob });
  const gate = await serving(place);
  const made = await toolgate(place, ['token', 'create', '--name', 'eve', '--role', 'admin', '--json']);
  const { key } = JSON.parse(made.out) as { readonly key: string };

  /** Reads a stream to its end. */
  const open = async (path: string, token: string) => {
    const response = await fetch(`${gate.url}${path}`, {
      headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' },
    });
    expect(response.status).toBe(200);
    const state = { ended: false };
    const reader = response.body?.getReader();
    const over = (async () => {
      try {
        while ((await reader?.read())?.done === false);
      } catch {
        // Cut by the gateway.
      }
      state.ended = true;
    })();
    return { state, over, close: () => reader?.cancel().catch(() => undefined) };
  };
  const mine = await open('/events', gate.token);
  const byToken = await open('/events', bob);
  const byKey = await open('/events', key);
  writeFileSync(join(place, 'toolgate.yaml'), quiet);
  await byToken.over;
  expect((await toolgate(place, ['token', 'revoke', 'eve'])).code).toBe(0);
  await byKey.over;
  expect(mine.state.ended).toBe(false);
  await mine.close();
}, 60_000);
