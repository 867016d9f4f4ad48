import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { atTerminal, canOpenTerminals } from '../support/terminal.js';
import { aPlace, serving, toolgate, type Running } from '../support/toolgate.js';
import { serverFile } from '../support/upstream.js';

const config = `
policy:
  rules:
    - { id: ask-the-operator, action: confirm, confirm: operator, tools: [ping] }
    - { id: the-rest, action: allow }
`;

const hasPager = spawnSync('less', ['--version']).status === 0;
if (!hasPager) console.log('skipped in part: less is not installed');

interface Asked {
  readonly place: string;
  /** Calls a tool as an assistant; the ticket of the call, which waits. */
  ask(target: string): Promise<string>;
  status(ticket: string): Promise<string>;
}

async function aGateway(): Promise<Asked> {
  const place = aPlace({ 'toolgate.yaml': config });
  const agent = (await toolgate(place, ['token', 'create', '--name', 'agent'])).out.trim();
  const gateway: Running = await serving(place);
  const headers = { authorization: `Bearer ${agent}` };
  return {
    place,
    async ask(target) {
      const waits = await gateway.send('/tools/ping/execute', { headers, body: { target, count: 1 } });
      return String(waits.json.error_context.metadata.ticket);
    },
    status: async (id) => String((await gateway.send(`/approvals/${id}`)).json.status),
  };
}

describe.skipIf(!canOpenTerminals())('at a terminal', () => {
  test('approve shows the whole call and approves only with the last characters of the ticket typed', async () => {
    const { place, ask, status } = await aGateway();
    const ticket = await ask('127.0.0.1');
    const wrong = atTerminal(place, ['approvals', 'approve', ticket]);
    await wrong.shows('to approve: ');
    expect(wrong.text()).toMatch(/arguments +\{.*"target":"127\.0\.0\.1"/);
    wrong.type('yes\n');
    expect(await wrong.ended).toBe(1);
    expect(await status(ticket)).toBe('pending');
    const right = atTerminal(place, ['approvals', 'approve', ticket]);
    await right.shows('to approve: ');
    right.type(`${ticket.slice(-4)}\n`);
    expect(await right.ended).toBe(0);
    expect(await status(ticket)).toBe('approved');
  }, 120_000);

  test('approvals --watch asks about each call as it comes, approves, denies and skips, and ends at an interrupt', async () => {
    const { place, ask, status } = await aGateway();
    const watch = atTerminal(place, ['approvals', '--watch']);
    await watch.shows('Waiting for calls');
    const first = await ask('127.0.0.1');
    await watch.shows(/characters of the ticket to approve.*skip: /);
    expect(watch.text()).toContain(first);
    let from = watch.text().length;
    watch.type(`${first.slice(-4)}\n`);
    await watch.shows('approved', from);
    expect(await status(first)).toBe('approved');
    for (const [target, typed, shown, result] of [
      ['127.0.0.2', 'deny', 'denied', 'denied'],
      ['127.0.0.3', 'y', 'left waiting', 'pending'],
    ] as const) {
      from = watch.text().length;
      const ticket = await ask(target);
      await watch.shows(/skip: /, from);
      from = watch.text().length;
      watch.type(`${typed}\n`);
      await watch.shows(shown, from);
      expect(await status(ticket)).toBe(result);
    }
    watch.type('\u0003');
    await watch.ended;
  }, 120_000);

  test.skipIf(!hasPager)(
    'pins diff shows all of a long change in a pager, and approving needs no scrolling back',
    async () => {
      const place = aPlace();
      const config = (fail: string): string =>
        `commands: { builtins: false }\nsources:\n  fix: { kind: mcp, command: ${process.execPath}, args: [${serverFile}, --fail, ${fail}] }\n`;
      writeFileSync(join(place, 'toolgate.yaml'), config('none'));
      await toolgate(place, ['tools']);
      writeFileSync(join(place, 'toolgate.yaml'), config('long-rugpull'));
      await toolgate(place, ['tools']);
      const diff = atTerminal(place, ['pins', 'diff', 'fix']);
      await diff.shows('its definition changed');
      expect(diff.text()).not.toContain('To approve exactly this');
      diff.type('G');
      await diff.shows('To approve exactly this');
      diff.type('q');
      expect(await diff.ended).toBe(0);
      const plain = await toolgate(place, ['pins', 'diff', 'fix']);
      expect(plain.out).toContain('To approve exactly this');
    },
    120_000,
  );
});
