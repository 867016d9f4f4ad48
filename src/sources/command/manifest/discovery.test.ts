import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isToolFile, discoverManifests } from './discovery.js';

const good = 'command: wc\nflags: {}\ntarget: { kind: none }\n';
let folder = '';
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'manifests-'))));
afterEach(() => rmSync(folder, { recursive: true }));
const write = (name: string, text: string = good): void => writeFileSync(join(folder, name), text, { mode: 0o644 });

test.each([
  'Test.tool.yaml',
  'TestPing.tool.yaml',
  'MockPing.tool.yaml',
  'AbstractPing.tool.yaml',
  '_ping.tool.yaml',
  'ExamplePing.tool.yaml',
  'PingBase.tool.yaml',
  'PingMixin.tool.yaml',
  'PingInterface.tool.yaml',
  'MCPBaseTool.tool.yaml',
  'ping.yaml',
  'ping.tool.yml',
  'ping.tool.yaml.bak',
  'ping_tool.py',
])('%s declares no tool [S0.96] [S0.105]', (file) => expect(isToolFile(file)).toBe(false));

test.each(['ping.tool.yaml', 'testssl.tool.yaml', 'mockery.tool.yaml', 'database.tool.yaml'])(
  '%s declares a tool [S0.96] [S0.105]',
  (file) => expect(isToolFile(file)).toBe(true),
);

test('a file that declares itself no tool is skipped silently [S0.96]', async () => {
  write('shared.tool.yaml', `tool: false\n${good}`);
  expect(await discoverManifests(folder)).toEqual({ definitions: [], withheld: [] });
});

test('a broken manifest is named with its place and left out, the others load [S0.97] [S0.42]', async () => {
  write('a.tool.yaml');
  write('b.tool.yaml', 'command: [\n');
  write('c.tool.yaml', 'command: wc\nflags: all\ntarget: { kind: none }\n');
  write('d.tool.yaml', `${good}parser: magic\n`);
  write('e.tool.yaml', `name: words\n${good}`);
  write('f.tool.yaml', `${good}# ${'x'.repeat(300_000)}\n`);
  write('g.tool.yaml');
  chmodSync(join(folder, 'g.tool.yaml'), 0o666);
  symlinkSync('/etc/passwd', join(folder, 'h.tool.yaml'));
  write('i j.tool.yaml');
  const found = await discoverManifests(folder);
  expect(found.definitions.map(({ name }) => name)).toEqual(['a', 'words']);
  expect(found.withheld).toEqual([
    { what: 'b.tool.yaml', why: expect.stringMatching(/^b\.tool\.yaml:\d+:\d+ /) },
    { what: 'c.tool.yaml', why: expect.stringMatching(/^c\.tool\.yaml:2:8 flags would allow every flag/) },
    { what: 'd.tool.yaml', why: 'unknown parser magic; use one of none, lines, key_value, json_lines, xml' },
    { what: 'f.tool.yaml', why: 'is larger than 262144 bytes' },
    { what: 'g.tool.yaml', why: 'is world-writable; remove write permission for others' },
    { what: 'h.tool.yaml', why: 'is a symbolic link to a file outside its folder' },
    { what: 'i j.tool.yaml', why: expect.stringContaining('is not a tool name') },
  ]);
});

test('a link within the folder is followed; a folder that every user can write is not read', async () => {
  write('a.yaml');
  symlinkSync('a.yaml', join(folder, 'linked.tool.yaml'));
  expect((await discoverManifests(folder)).definitions.map(({ name }) => name)).toEqual(['linked']);
  chmodSync(folder, 0o777);
  expect(await discoverManifests(folder)).toMatchObject({
    definitions: [],
    withheld: [{ why: 'the manifest folder is world-writable; remove write permission for others' }],
  });
});

test('a folder that is not there is named, not thrown', async () => {
  expect(await discoverManifests(join(folder, 'nowhere'))).toMatchObject({
    definitions: [],
    withheld: [{ why: 'the manifest folder cannot be read' }],
  });
});
