import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { processesNamed } from '../support/processes.js';
import { aPlace, toolgate } from '../support/toolgate.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
// Installed once for all runs of the tests.
const kept = join(root, 'node_modules/.cache/toolgate-servers');
const version = '2026.8.31';
const npm = Object.fromEntries(Object.entries(process.env).filter(([name]) => /^npm_config_/i.test(name))) as Record<
  string,
  string
>;

/** A place whose packages come from the kept ones. */
function aPlaceWith(config: string): { readonly place: string; readonly env: Record<string, string> } {
  const place = aPlace({ 'toolgate.yaml': config });
  mkdirSync(join(place, 'home'), { recursive: true });
  mkdirSync(join(kept, 'npm'), { recursive: true });
  cpSync(kept, join(place, 'home/packages'), { recursive: true, verbatimSymlinks: true });
  return { place, env: { HOME: process.env['HOME'] ?? place, ...npm } };
}
const keep = (place: string): void =>
  cpSync(join(place, 'home/packages/npm'), join(kept, 'npm'), {
    recursive: true,
    force: false,
    verbatimSymlinks: true,
    filter: (path) => !path.includes('/npm/cache'),
  });

// One tool of server-everything is made at run time, so it would wait for approval.
const entry = (id: string, name: string, args: readonly string[] = []): string =>
  `  ${id}: { kind: mcp, runtime: npx, package: '@modelcontextprotocol/${name}@${version}', args: ${JSON.stringify(args)}, startup_budget: 240, connect_timeout: 60, scan: { unknown: allow } }\n`;

test('servers from npm are installed once, locked, listed and called [S3.29]', async () => {
  const { place, env } = aPlaceWith('');
  const config = `commands: { builtins: false }\nrate_limit: { requests: 1000 }\nsources:\n${entry('everything', 'server-everything')}${entry('files', 'server-filesystem', [place])}${entry('memory', 'server-memory')}`;
  writeFileSync(join(place, 'toolgate.yaml'), config);
  const listed = await toolgate(place, ['tools'], env);
  if (listed.out.includes('npm could not install')) return console.log('skipped: the npm registry cannot be reached');
  expect(listed.out).toMatch(/^everything__echo +ready/m);
  expect(listed.out).toMatch(/^files__read_text_file +ready/m);
  expect(listed.out).toMatch(/^memory__create_entities +ready/m);
  keep(place);
  expect((await toolgate(place, ['call', 'everything__echo', 'message=hello'], env)).out).toContain('hello');
  writeFileSync(join(place, 'note.txt'), 'what it says');
  expect(
    (await toolgate(place, ['call', 'files__read_text_file', `path=${join(place, 'note.txt')}`], env)).out,
  ).toContain('what it says');
  expect((await toolgate(place, ['call', 'files__read_text_file', 'path=/etc/hostname'], env)).code).not.toBe(0);
  expect(processesNamed(place)).toEqual([]);

  const lock = join(place, 'toolgate.lock.json');
  const locked = JSON.parse(readFileSync(lock, 'utf8'));
  expect(Object.keys(locked.packages)).toContain(`npm:@modelcontextprotocol/server-memory@${version}`);
  expect(JSON.stringify(locked)).not.toContain('resolved');
  const own = locked.packages[`npm:@modelcontextprotocol/server-memory@${version}`];
  own.packages['node_modules/@modelcontextprotocol/server-memory'].integrity = 'sha512-another';
  writeFileSync(lock, JSON.stringify(locked));
  const drifted = await toolgate(place, ['tools'], env);
  expect(drifted.out).toContain('is not the package that was locked');
  expect(drifted.out).toMatch(/^files__read_text_file +ready/m);
}, 600_000);
