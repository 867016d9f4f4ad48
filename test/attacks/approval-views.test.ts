import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../../src/core/json.js';
import { defineSource } from '../../src/embed/define.js';
import { attackedGate, type Received } from '../support/attacked-gate.js';
import type { Loose } from '../support/mcp.js';

// An approval is for what the operator was shown. Arguments that are shown otherwise than they run, or run otherwise than they were
// approved, are defects.

async function aGuardedGate(by: 'operator' | 'caller' = 'operator') {
  const ran: [string, Json][] = [];
  const tool = (name: string) => ({
    name,
    description: `Runs ${name}`,
    input: { type: 'object' } as const,
    limits: { ratePerMinute: 1e6 },
    run(args: JsonObject) {
      ran.push([name, JSON.parse(JSON.stringify(args)) as Json]); // arguments are JSON
      return 'ran';
    },
  });
  const made = await attackedGate(
    { policy: { rules: [{ id: 'ask', action: 'confirm', confirm: by, tools: ['*'] }] } },
    [defineSource({ id: 'lab', tools: [tool('pay'), tool('erase')] })],
  );
  const { modern, send } = made;
  const ticketIn = ({ text }: Received): string => /tk_[\w-]+/.exec(text)?.[0] ?? '';
  return {
    ...made,
    ran,
    call: (caller: 'ada' | 'bob' | 'eve', name: string, args: JsonObject, ticket?: string) =>
      modern(caller, 'tools/call', {
        name,
        arguments: args,
        ...(ticket !== undefined && { _meta: { 'toolgate/ticket': ticket } }),
      }),
    ticketIn,
    shown: async (ticket: string): Promise<Loose> => (await send(`/approvals/${ticket}?whole=true`, 'eve')).json,
    listed: async (ticket: string): Promise<Loose> => (await send(`/approvals/${ticket}`, 'eve')).json,
    approve: async (ticket: string) => (await send(`/approvals/${ticket}/approve`, 'eve', '')).status,
  };
}

const nested = (depth: number, value: Json): Json => (depth === 0 ? value : { in: nested(depth - 1, value) });
const own = (text: string): JsonObject => JSON.parse(text) as JsonObject; // keys such as __proto__ as own keys

/** Arguments that try to hide a part of themselves from the operator. */
const views: readonly JsonObject[] = [
  { to: 'bob', amount: 1 },
  { to: `${'x'.repeat(5_000)}EVIL${'x'.repeat(5_000)}` },
  { to: `bob${'\n'.repeat(2_000)}EVIL` },
  { to: 'bob\r\u001b[2K\u001b[1Aharmless' },
  { to: 'bob\u202egro.live\u202c' },
  { to: 'bob\u2066\u2067x\u2069' },
  { to: 'b\u200bob\u200d\u2060' },
  { to: 'b\u043eb' },
  { to: 'bob', tо: 'eve' } as JsonObject,
  { 'to\u200b': 'eve', 'to\\u200b': 'bob' },
  { 'to\\u200b': 'bob', 'to\u200b': 'eve' },
  { 'a\u0000': 1, 'a\\u0000': 2, a: 3 },
  { 'a\n': 1, 'a\\n': 2, 'a\\u000a': 3 },
  { token: 'plain', password: 'plain', secret: 'plain', authorization: 'plain', api_key: 'plain' },
  { password: { to: 'eve', amount: 1_000_000 } },
  { token: ['a', ['b'], { c: 'd' }] },
  own('{"__proto__":{"to":"eve"},"to":"bob"}'),
  own('{"constructor":{"prototype":{"to":"eve"}}}'),
  own('{"toString":"x","valueOf":1,"hasOwnProperty":2,"toJSON":"bob"}'),
  own('{"a":{"__proto__":{"b":["__proto__"]}}}'),
  { n: 9_007_199_254_740_991 },
  { n: 2 ** 53 },
  { n: 1e21, m: 1e-7, z: -0.5 },
  { n: 1.0000000000000002 },
  { a: null, b: false, c: '', d: [], e: {} },
  { 1: 'a', '01': 'b', '1.0': 'c' },
  { '': 'empty', ' ': 'blank', '  ': 'blanks' },
  { 'to (again)': 1, to: 2 },
  { ['k'.repeat(450)]: 1, [`${'k'.repeat(449)}l`]: 2 },
  { [`${'k'.repeat(300)}A${'k'.repeat(300)}`]: 1, [`${'k'.repeat(300)}B${'k'.repeat(300)}`]: 2 },
  { deep: nested(50, 'EVIL') },
  { list: Array.from({ length: 400 }, (_, index) => (index === 399 ? 'EVIL' : 'ok')) },
  Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`k${index}`, index === 299 ? 'EVIL' : 'ok'])),
  { to: '\\u0062ob', from: '\\\\u0062ob' },
  { to: 'bob","amount":"1' },
  { to: '… [0 of 8 characters not shown] …' },
  { to: 'bob\u{e0001}\u{e0065}\u{e007f}' },
  { to: 'bob\u{1bca0}\u{1d173}\u{e0100}\u{e0fff}' },
  { to: 'bob\u2028Rule: none' },
  { to: '</code><script>alert(1)</script>' },
];

const isEqual = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
const isHiding = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}]/u;

/** What a row of a table says about one argument, wrongly. */
function lies(args: JsonObject, ticket: Loose): string[] {
  const found: string[] = [];
  const whole: string = ticket.arguments_whole;
  if (!isEqual(JSON.parse(whole), args)) found.push('the whole is not what runs');
  if (isHiding.test(JSON.stringify(ticket).replaceAll('\\n', ''))) found.push('the view has invisible characters');
  const rows: readonly Loose[] = ticket.argument_rows;
  if (rows.length !== Object.keys(args).length) found.push(`${rows.length} rows`);
  if (new Set(rows.map(({ name }) => name)).size !== rows.length) found.push('two rows of one name');
  if (rows.some(({ origin }) => origin !== 'given')) found.push('given arguments are shown as defaults');
  const values = Object.values(args).map((value) => JSON.stringify(value));
  if (!isEqual(rows.map(({ value }) => JSON.stringify(JSON.parse(value))).sort(), values.sort()))
    found.push('a row has another value');
  return found;
}

test(`${views.length} arguments are shown to the operator as they run, in whole and row by row`, async () => {
  const { call, ticketIn, shown, listed, approve, ran } = await aGuardedGate();
  const passed: string[] = [];
  for (const args of views) {
    const ticket = ticketIn(await call('ada', 'pay', args));
    const name = JSON.stringify(args).slice(0, 60);
    const found = lies(args, await shown(ticket));
    const short = await listed(ticket);
    if (short.argument_rows.length !== Object.keys(args).length) found.push('a row is missing in the short view');
    if (short.argument_rows.some(({ origin }: Loose) => origin !== 'given')) found.push('default in the short view');
    passed.push(...found.map((lie) => `${name}: ${lie}`));
    expect(await approve(ticket)).toBe(200);
    await call('ada', 'pay', args, ticket);
    if (!isEqual(ran.at(-1), ['pay', args])) passed.push(`${name}: something else ran`);
  }
  expect(passed).toEqual([]);
  expect(ran).toHaveLength(views.length);
}, 60_000);

/** Every invisible code point, some at a time. */
const invisible = Array.from({ length: 0x110000 }, (_, code) => code)
  .filter((code) => (code < 0xd800 || code > 0xdfff) && isHiding.test(String.fromCodePoint(code)))
  .map((code) => String.fromCodePoint(code));

test(`none of ${invisible.length} invisible characters reaches a view as it is`, async () => {
  const { call, ticketIn, shown, approve } = await aGuardedGate();
  const passed = new Set<string>();
  for (let at = 0; at < invisible.length; at += 200) {
    const text = invisible.slice(at, at + 200).join('');
    const ticket = ticketIn(await call('ada', 'pay', { to: text, [text]: 'bob' }));
    const view = await shown(ticket);
    for (const each of [view.arguments, view.arguments_whole, ...view.argument_rows.flatMap(Object.values)])
      for (const character of String(each)) if (isHiding.test(character)) passed.add(character);
    expect(await approve(ticket)).toBe(200);
  }
  expect([...passed].map((each) => each.codePointAt(0)?.toString(16))).toEqual([]);
}, 60_000);

/** Another call than the approved one `pay { to: "bob", amount: 1, note: ["x", { y: "z" }] }`. */
const approved: JsonObject = { to: 'bob', amount: 1, note: ['x', { y: 'z' }] };
const others: readonly JsonObject[] = [
  { ...approved, to: 'eve' },
  { ...approved, to: 'Bob' },
  { ...approved, to: 'bob ' },
  { ...approved, to: 'bob\u200b' },
  { ...approved, to: 'b\u043eb' },
  { ...approved, to: ['bob'] },
  { ...approved, to: { toString: 'bob' } },
  { ...approved, amount: 2 },
  { ...approved, amount: '1' },
  { ...approved, amount: 1.0000000000000002 },
  { ...approved, amount: true },
  { ...approved, amount: [1] },
  { ...approved, note: ['x', { y: 'z', more: 1 }] },
  { ...approved, note: ['x', { y: 'z' }, null] },
  { ...approved, note: [{ y: 'z' }, 'x'] },
  { ...approved, note: ['x', ['y', 'z']] },
  { ...approved, note: 'x' },
  { ...approved, note: null },
  { ...approved, extra: null },
  { ...approved, '': 1 },
  { ...approved, To: 'eve' },
  { ...approved, 'to\u200b': 'eve' },
  { ...own('{"__proto__":{"to":"eve"}}'), ...approved },
  Object.fromEntries([...Object.entries(approved), ['__proto__', { to: 'eve' }]]),
  { to: 'bob', amount: 1 },
  {},
];

test(`an approval is for one call of one caller: ${others.length * 2 + 8} other calls are refused`, async () => {
  const { call, ticketIn, approve, ran, send } = await aGuardedGate();
  const ticket = ticketIn(await call('ada', 'pay', approved));
  for (const caller of ['ada', 'bob'] as const)
    expect((await send(`/approvals/${ticket}/approve`, caller, '')).status).toBe(403);
  for (const odd of [
    `${ticket}x`,
    ticket.slice(0, -1),
    ticket.toUpperCase(),
    `%2e%2e%2f${ticket}`,
    `${ticket}%00`,
    '*',
  ])
    expect((await send(`/approvals/${odd}/approve`, 'eve', '')).status).not.toBe(200);
  expect(await approve(ticket)).toBe(200);
  expect(await approve(ticket)).toBe(409);
  for (const args of others) for (const named of [ticket, undefined]) await call('ada', 'pay', args, named);
  for (const named of [ticket, undefined]) {
    await call('bob', 'pay', approved, named);
    await call('eve', 'pay', approved, named);
    await call('ada', 'erase', approved, named);
  }
  await call('ada', 'pay', approved, `${ticket} `);
  await call('ada', 'pay', approved, ticket.toUpperCase());
  expect(ran).toEqual([]);
  await call('ada', 'pay', approved, ticket);
  expect(ran).toEqual([['pay', approved]]);
  for (const named of [ticket, undefined]) await call('ada', 'pay', approved, named);
  expect(ran).toHaveLength(1);
}, 60_000);

test('two bodies that parsers read differently never get a ticket', async () => {
  const { rest, send, ran } = await aGuardedGate();
  const bodies = [
    '{"to":"bob","to":"eve"}',
    '{"to":"bob","\\u0074o":"eve"}',
    '{"a":{"to":"bob","to":"eve"}}',
    '{"a":[{"__proto__":1,"__proto__":2}]}',
    '{"n":1e999}',
    '{"n":-1e400}',
    '{"to":"\\ud800"}',
    '{"to":"bob"}{"to":"eve"}',
    '{"to":"bob",}',
    "{'to':'bob'}",
    '{"to":NaN}',
    '{"n":01}',
    '[{"to":"bob"}]',
    '"bob"',
    `${'{"a":'.repeat(500)}1${'}'.repeat(500)}`,
  ];
  for (const body of bodies)
    expect([body.slice(0, 40), (await rest('ada', 'pay', body)).status]).toEqual([body.slice(0, 40), 400]);
  expect((await send('/approvals', 'eve')).json.approvals).toEqual([]);
  expect(ran).toEqual([]);
});

test('an answer to a form counts for the call, the caller and the moment it was asked for', async () => {
  const { modern, ran } = await aGuardedGate('caller');
  const ask = async (name: string, args: JsonObject): Promise<string> =>
    (await modern('ada', 'tools/call', { name, arguments: args })).json.result.requestState;
  const state = await ask('pay', approved);
  expect(state).toMatch(/^tg1\./);
  const accept = { toolgate_confirm: { action: 'accept', content: { approve: true } } };
  const answer = (over: JsonObject, caller: 'ada' | 'bob' = 'ada') =>
    modern(caller, 'tools/call', {
      name: 'pay',
      arguments: approved,
      requestState: state,
      inputResponses: accept,
      ...over,
    });
  const [prefix = '', body = '', mac = ''] = state.split('.');
  const forged = [
    '',
    'tg1.',
    'tg1..',
    `${prefix}.${body}`,
    `${prefix}.${body}.`,
    `${prefix}.${body}.${mac.slice(0, -2)}`,
    `${prefix}.${mac}.${body}`,
    `${prefix}.${body}x.${mac}`,
    `tg2.${body}.${mac}`,
    `TG1.${body}.${mac}`,
    ` ${state}`,
    `${prefix}.${Buffer.from('["carry","n","b",9999999999999,null]').toString('base64url')}.${mac}`,
    `${prefix}.${body}.${Buffer.alloc(32).toString('base64url')}`,
  ];
  for (const requestState of forged) await answer({ requestState });
  for (const args of others) await answer({ arguments: args });
  await answer({ name: 'erase' });
  await answer({}, 'bob');
  const refusals: readonly JsonObject[] = [
    {},
    { other: accept['toolgate_confirm'] },
    { toolgate_confirm: {} },
    own('{"__proto__":{"toolgate_confirm":{"action":"accept","content":{"approve":true}}}}'),
  ];
  for (const inputResponses of refusals.slice(0, 2)) await answer({ inputResponses });
  for (const content of [
    {},
    { approve: 'true' },
    { approve: 1 },
    { approve: [true] },
    own('{"__proto__":{"approve":true}}'),
  ])
    await answer({
      requestState: await ask('pay', approved),
      inputResponses: { toolgate_confirm: { action: 'accept', content } },
    });
  for (const inputResponses of refusals.slice(2))
    await answer({ requestState: await ask('pay', approved), inputResponses });
  for (const action of ['decline', 'cancel', 'ACCEPT', 'accept ', 'yes'])
    await answer({
      requestState: await ask('pay', approved),
      inputResponses: { toolgate_confirm: { action, content: { approve: true } } },
    });
  expect(ran).toEqual([]);
  await answer({});
  expect(ran).toEqual([['pay', approved]]);
  await answer({});
  expect(ran).toHaveLength(1);
}, 60_000);
