import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { run as login } from '../../src/cli/verbs/login.js';
import { heardIo } from '../support/cli-io.js';
import { eventually } from '../support/processes.js';
import { aPlace, serving, toolgate } from '../support/toolgate.js';
import { serverFile } from '../support/upstream.js';
import { json } from '../support/upstream-http.js';

/** Administrative actions in all journals of a home, in the order of time; admission decides by itself and is no action. */
function actionsIn(home: string): readonly string[] {
  const folder = join(home, 'audit');
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl'))
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').trim().split('\n'))
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
    .filter(({ event, detail }) => event === 'admin' && detail?.action !== 'admission')
    .toSorted((a, b) => (a.at < b.at ? -1 : 1))
    .map(({ detail, tool, decision, via }) => `${detail.action} ${tool} ${decision} via ${via}`);
}

/** A pin of another definition, so that the server's own waits for approval. */
const bookOf = (source: string, ...tools: string[]): string =>
  JSON.stringify({
    source,
    identity: source,
    pins: Object.fromEntries(
      tools.map((tool) => [
        `tool ${tool}`,
        { hash: 'other', definition: { name: tool }, at: '2026-01-01T00:00:00.000Z', by: 'first sight' },
      ]),
    ),
    pending: {},
  });

const config = `
commands: { builtins: true }
auth:
  tokens:
    - { name: user, token: user-token-of-at-least-32-characters-01, roles: [user] }
    - { name: boss, token: boss-token-of-at-least-32-characters-01, roles: [approver] }
policy:
  rules:
    - { id: ask, action: confirm, confirm: operator, tools: [fix__pid] }
    - { id: rest, action: allow }
sources:
  fix: { kind: mcp, command: ${JSON.stringify(process.execPath)}, args: ${JSON.stringify([serverFile])} }
`;

test('each administrative action leaves exactly one record when it takes effect, and none as allowed when it is refused', async () => {
  const place = aPlace({ 'toolgate.yaml': config });
  const home = join(place, 'home');
  mkdirSync(join(home, 'pins'), { recursive: true, mode: 0o700 });
  writeFileSync(join(home, 'pins/fix.json'), bookOf('fix', 'echo', 'env'), { mode: 0o600 });
  const gate = await serving(place);
  let seen = 0;
  /** Compares what an action added to the audit; waits, because the answer does not wait for the record. */
  const expectRecords = async (step: string, expected: readonly string[]): Promise<void> => {
    await eventually(
      () => actionsIn(home).length,
      (count) => count >= seen + expected.length,
      60_000,
    );
    expect([step, actionsIn(home).slice(seen)]).toEqual([step, expected]);
    seen += expected.length;
  };
  const as = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
  const user = as('user-token-of-at-least-32-characters-01');
  const boss = as('boss-token-of-at-least-32-characters-01');
  const over = async (
    path: string,
    status: number,
    expected: readonly string[],
    init: Parameters<typeof gate.send>[1] = { method: 'POST' },
  ) => {
    expect([path, (await gate.send(path, init)).status]).toEqual([path, status]);
    await expectRecords(`${init.method ?? 'POST'} ${path}`, expected);
  };
  const verb = async (code: number, expected: readonly string[], argv: readonly string[], input?: string) => {
    const ended = await toolgate(place, argv, {}, input);
    expect([argv, ended.code, ended.code === code ? '' : ended.err]).toEqual([argv, code, '']);
    await expectRecords(argv.join(' '), expected);
  };

  await over('/tools/ping/disable', 200, ['disable ping allowed via rest']);
  await over('/tools/ping/enable', 200, ['enable ping allowed via rest']);
  await over('/tools/none/disable', 404, []);
  await over('/tools/none/breaker/reset', 404, []);
  await over('/tools/ping/breaker/reset', 200, ['breaker_reset ping allowed via rest']);
  await over('/tools/ping/disable', 403, [], { method: 'POST', ...user });
  await over('/keys', 201, ['token_create key:one allowed via rest'], { body: { name: 'one' } });
  await over('/keys', 409, [], { body: { name: 'one' } });
  await over('/keys', 400, [], { body: { name: 'a b' } });
  await over('/keys', 403, [], { body: { name: 'two' }, ...user });
  await over('/keys/one', 204, ['token_revoke key:one allowed via rest'], { method: 'DELETE' });
  await over('/keys/one', 404, [], { method: 'DELETE' });
  await over('/sources/fix/refresh', 200, ['source_refresh fix allowed via rest']);
  await over('/sources/none/refresh', 404, []);
  await over('/sources/fix/restart', 200, ['source_restart fix allowed via rest']);
  await over('/sources/toolgate:results/restart', 409, []);
  const { pending } = (await gate.send('/sources/fix/pins')).json;
  const seenOf = (item: string): string => pending.find((each: { item: string }) => each.item === item)?.seen;
  const echo = { items: ['tool echo'], seen: seenOf('tool echo') };
  await over('/sources/fix/pins/approve', 409, [], { body: { ...echo, seen: 'other' } });
  await over('/sources/none/pins/approve', 404, [], { body: echo });
  await over('/sources/fix/pins/approve', 200, ['pins_approve fix allowed via rest'], { body: echo });
  await over('/sources/fix/pins/approve', 409, [], { body: echo });
  await over('/sources/fix/pins/reject', 200, ['pins_reject fix allowed via rest'], {
    body: { items: ['tool env'], seen: seenOf('tool env') },
  });
  const ask = async (n: number): Promise<string> => {
    const answer = await gate.send('/tools/fix__pid/execute', { body: { n }, ...user });
    return answer.json.error_context.metadata.ticket;
  };
  const [first, second, third] = [await ask(1), await ask(2), await ask(3)];
  await over(`/approvals/${first}/approve`, 403, [], { method: 'POST', ...user });
  await over(`/approvals/${first}/approve`, 200, ['approve fix__pid allowed via rest'], { method: 'POST', ...boss });
  await over(`/approvals/${first}/approve`, 409, [], { method: 'POST', ...boss });
  await over(`/approvals/${second}/deny`, 200, ['deny fix__pid allowed via rest'], { body: { reason: 'no' }, ...boss });
  await over('/approvals/none/deny', 404, [], { body: {}, ...boss });

  await verb(0, ['deny fix__pid allowed via rest'], ['approvals', 'deny', third]);
  await verb(1, [], ['approvals', 'approve', third]);
  await verb(0, ['disable ping allowed via rest'], ['disable', 'ping']);
  await verb(0, ['enable ping allowed via rest'], ['enable', 'ping']);
  await verb(1, [], ['disable', 'none']);
  await verb(0, ['source_restart fix allowed via rest'], ['restart', 'fix']);
  await verb(0, ['pins_approve fix allowed via cli'], ['pins', 'approve', 'fix', 'tool env']);
  await verb(1, [], ['pins', 'approve', 'fix', 'tool env']);
  await verb(1, [], ['pins', 'reject', 'fix', '--all']);
  await verb(1, [], ['pins', 'approve', 'none', '--all']);
  await verb(0, ['secret_set S allowed via cli'], ['secret', 'set', 'S'], 'value');
  await verb(2, [], ['secret', 'set', 'bad name'], 'value');
  await verb(0, ['secret_remove S allowed via cli'], ['secret', 'remove', 'S']);
  await verb(1, [], ['secret', 'remove', 'S']);
  await verb(0, ['token_create key:bot allowed via cli'], ['token', 'create', '--name', 'bot']);
  await verb(1, [], ['token', 'create', '--name', 'bot']);
  await verb(2, [], ['token', 'create', '--name', 'x', '--expires', 'soon']);
  await verb(0, ['token_revoke key:bot allowed via cli'], ['token', 'revoke', 'bot']);
  await verb(1, [], ['token', 'revoke', 'bot']);
  await verb(0, ['token_renew owner allowed via cli'], ['token', 'renew']);
  await verb(0, ['gate_stop gate allowed via cli'], ['stop']);
}, 240_000);

test('a login is recorded as allowed only if the authorization server gave a token', async () => {
  let refuses = true;
  const far = createServer((req, res) => {
    const origin = `http://${req.headers.host}`;
    const answers: Readonly<Record<string, unknown>> = {
      '/.well-known/oauth-protected-resource/mcp': { resource: `${origin}/mcp`, authorization_servers: [origin] },
      '/.well-known/oauth-authorization-server': {
        issuer: origin,
        token_endpoint: `${origin}/token`,
        authorization_endpoint: `${origin}/authorize`,
        code_challenge_methods_supported: ['S256'],
        authorization_response_iss_parameter_supported: false,
      },
    };
    const found = answers[req.url ?? ''];
    if (found !== undefined) return json(res, found);
    if (req.url === '/token')
      return refuses
        ? json(res, { error: 'invalid_grant' }, 400)
        : json(res, { access_token: 't', token_type: 'Bearer', expires_in: 3600 });
    res.writeHead(401, {
      'www-authenticate': `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`,
    });
    return void res.end();
  });
  await new Promise<void>((resolve) => far.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void far.close().closeAllConnections());
  const url = `http://127.0.0.1:${(far.address() as AddressInfo).port}/mcp`;
  const place = aPlace({
    'toolgate.yaml': `sources:\n  far: { kind: mcp, url: "${url}", network_policy: loopback, oauth: { client_id: c } }\n`,
  });
  const home = join(place, 'home');
  /** Logs in, with the browser's part done here; `answer` are the parameters of the redirect. */
  const attempt = async (answer: (state: string) => string): Promise<number> => {
    const { io, said } = heardIo();
    const ended = login(['far', '--json', '--config', join(place, 'toolgate.yaml')], {
      ...io,
      env: { PATH: process.env['PATH'], HOME: place, TOOLGATE_HOME: home },
    } as Parameters<typeof login>[1]);
    const opened = new URL(
      JSON.parse(
        await eventually(
          () => said.out,
          (out) => out.includes('\n'),
          60_000,
        ),
      ).url,
    );
    const redirect = opened.searchParams.get('redirect_uri') ?? '';
    await (await fetch(`${redirect}?${answer(opened.searchParams.get('state') ?? '')}`)).text();
    return ended;
  };
  expect(await attempt(() => 'code=x&state=forged')).toBe(1);
  expect(await attempt((state) => `error=access_denied&state=${state}`)).toBe(1);
  expect(await attempt((state) => `code=x&state=${state}`)).toBe(1);
  refuses = false;
  expect(await attempt((state) => `code=x&state=${state}`)).toBe(0);
  expect(actionsIn(home)).toEqual([
    'login far:local failed via cli',
    'login far:local failed via cli',
    'login far:local failed via cli',
    'login far:local allowed via cli',
  ]);
});
