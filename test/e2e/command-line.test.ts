import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cliVerbs, exitsOf } from '../../src/cli/verb-table.js';
import { aPlace, toolgate, type Ended } from '../support/toolgate.js';

const verbs = Object.keys(cliVerbs);
/** Verbs that take any number of words; a surplus one is wrong in another way. */
const openEnded: Readonly<Record<string, readonly string[]>> = {
  add: ['--name', 'a b', 'x'],
  import: ['nosuchfile'],
  connect: ['nosuchassistant'],
  call: ['ping', 'notapair'],
  explain: ['ping', 'notapair'],
  scan: ['explain', 'a', 'b'],
  approvals: ['list', 'x'],
  secret: ['list', 'x', 'y'],
  token: ['list', 'x'],
  pins: ['list', 'a', 'b'],
  sources: ['list', 'x'],
  audit: ['list', 'x'],
};

const emptyPlace = (): string => aPlace({ 'toolgate.yaml': 'commands: { builtins: false }\n' });

function expectDocumented(verb: string, { code }: Ended): void {
  const entry = cliVerbs[verb];
  expect(entry && exitsOf(entry).map(([each]) => Number(each))).toContain(code);
}

test.each(verbs)(
  '%s: help, misspelt option, surplus argument, and errors as JSON',
  async (verb) => {
    const place = emptyPlace();
    const help = await toolgate(place, [verb, '--help']);
    expect(help).toMatchObject({ code: 0, err: '' });
    expect(help.out).toMatch(new RegExp(`^Usage: toolgate ${verb}`));
    expect(help.out).toMatch(/\nExit codes: 0 [^\n]+\.\n$/);

    const misspelt = await toolgate(place, [verb, '--jsno']);
    expect(misspelt).toEqual({
      code: 2,
      out: '',
      err: `toolgate ${verb}: unknown option --jsno; did you mean --json? See toolgate ${verb} --help\n`,
    });

    const surplus = await toolgate(place, [verb, ...(openEnded[verb] ?? ['one', 'two', 'three'])]);
    expect(surplus).toMatchObject({ code: 2, out: '' });
    expect(surplus.err).toMatch(new RegExp(`^toolgate ${verb}: [^\\n]+ See toolgate ${verb} --help\n$`));

    const json = await toolgate(place, [verb, '--json', '--nosuchoption']);
    expect(json).toMatchObject({ code: 2, err: '' });
    expect(JSON.parse(json.out)).toEqual({
      error: { message: expect.stringContaining('unknown option --nosuchoption'), help: `toolgate ${verb} --help` },
      exit_code: 2,
    });
    for (const one of [help, misspelt, surplus, json]) expectDocumented(verb, one);
  },
  60_000,
);

/** Verbs that fail without being used wrongly, in a place where no gate runs. */
const failures: Readonly<Record<string, readonly string[]>> = {
  status: [],
  stop: [],
  restart: ['x'],
  logs: ['x'],
  enable: ['x'],
  disable: ['x'],
  tools: ['nosuch'],
  sources: ['remove', 'nosuch'],
  pins: ['diff', 'nosuch'],
  secret: ['remove', 'nosuch'],
  token: ['revoke', 'nosuch'],
  approvals: ['approve', 'tk_1234'],
  scan: ['/nowhere/at/all'],
  surface: ['/nowhere/at/all'],
};

test.each(Object.entries(failures))(
  '%s reports a failure in one line, and as JSON',
  async (verb, argv) => {
    const place = emptyPlace();
    const text = await toolgate(place, [verb, ...argv]);
    expectDocumented(verb, text);
    expect(text.code).not.toBe(0);
    if (verb === 'status') return;
    expect(text.err).toMatch(new RegExp(`^toolgate ${verb}: [^\\n]+\n$`));
    const json = await toolgate(place, [verb, ...argv, '--json']);
    expect(json).toMatchObject({ code: text.code, err: '' });
    expect(JSON.parse(json.out)).toMatchObject({ error: { message: expect.any(String) }, exit_code: text.code });
  },
  60_000,
);

test('a broken configuration is one JSON document for every verb that loads it', async () => {
  const broken = aPlace({ 'toolgate.yaml': 'servr: { port: 1 }\n' });
  for (const argv of [['tools'], ['token', 'list'], ['pins'], ['explain', 'x'], ['approvals'], ['sources', 'list']]) {
    const { code, out, err } = await toolgate(broken, [...argv, '--json']);
    expect({ code, err }).toEqual({ code: 1, err: '' });
    expect(JSON.parse(out)).toMatchObject({
      error: { message: 'the configuration cannot be used', problems: [{ path: 'servr' }] },
      exit_code: 1,
    });
  }
}, 60_000);

test('misspelt verbs, tools, sources and rules are suggested; version and help have their usual names', async () => {
  const place = emptyPlace();
  expect((await toolgate(place, ['toosl'])).err).toContain('did you mean tools?');
  expect((await toolgate(place, ['help', 'toosl'])).err).toContain('did you mean tools?');
  expect((await toolgate(place, [])).code).toBe(2);
  for (const word of ['version', '--version', '-V', '-v'])
    expect((await toolgate(place, [word])).out).toMatch(/^\d+\.\d+\.\d+\n$/);
  expect(JSON.parse((await toolgate(place, ['version', '--json'])).out)).toHaveProperty('version');
  expect((await toolgate(place, ['token', 'create', '--name', 'a', '--role', 'aprover'])).err).toContain(
    'unknown role "aprover"; did you mean approver?',
  );
}, 60_000);

test('a missing source leaves no file behind, and a state folder that cannot be used is named with a remedy', async () => {
  const empty = aPlace();
  expect((await toolgate(empty, ['sources', 'remove', 'nosuch'])).code).toBe(1);
  expect(existsSync(join(empty, '.config'))).toBe(false);
  const missing = await toolgate(empty, ['audit', '--home', join(empty, 'nowhere')]);
  expect(missing).toMatchObject({ code: 1, err: expect.stringContaining('does not exist; set another with --home') });
  const blocked = aPlace({ file: '' });
  for (const home of [join(blocked, 'file'), join(blocked, 'file/below'), '/proc/toolgate']) {
    const { code, err } = await toolgate(blocked, ['tools'], { TOOLGATE_HOME: home });
    expect(code).toBe(1);
    expect(err).toContain(`the state folder ${home} cannot be used: `);
    expect(err).toContain('set another one with --home or TOOLGATE_HOME');
  }
}, 60_000);

test('errors of verbs are printed by one function, so that none is text where JSON is asked for', () => {
  const folder = new URL('../../src/cli/', import.meta.url);
  const own = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) =>
      name.endsWith('.ts') && !name.endsWith('.test.ts') && name !== 'command-line.ts' && !name.startsWith('attach/'),
  );
  const offenders = own.filter((name) => /err\(\s*[`'"]toolgate/.test(readFileSync(new URL(name, folder), 'utf8')));
  expect(offenders).toEqual([]);
});
