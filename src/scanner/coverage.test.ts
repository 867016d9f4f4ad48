import { describe, expect, test } from 'vitest';
import { aProject } from '../../test/support/scan.js';
import { formatScanText } from './reporters/findings-text.js';
import { pythonServer } from './rules/cases.js';
import type { ScanReport } from './report.js';
import { scan } from './scan.js';

const report = async (files: Readonly<Record<string, string>>): Promise<ScanReport> => scan(await aProject(files));

const dispatcher = (body: string): string => `
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
const server = new Server({ name: 's', version: '1' }, { capabilities: { tools: {} } });
server.setRequestHandler(ListToolsRequestSchema, async () => ({
  tools: [{ name: 'echo', description: 'Echoes', inputSchema: { type: 'object', properties: { text: { type: 'string' } } } }],
}));
${body}
`;

describe('a tree of which nothing was analysed is never clean', () => {
  test.each<[string, Record<string, string>, RegExp]>([
    ['an empty folder', { 'README.md': '# nothing' }, /no Python, JavaScript or TypeScript/],
    ['another language', { 'main.go': 'package main', 'tool.go': 'package main' }, /not analysed \(2 Go\)/],
    ['code without a tool', { 'a.py': 'print("hello")\n' }, /no registration was found/],
    [
      'a prompt and no tool',
      {
        'server.py': pythonServer('', '@mcp.prompt()\ndef ask(topic: str) -> str:\n    """Asks."""\n    return topic'),
      },
      /no tool: they may be registered/,
    ],
  ])('%s', async (_what, files, reason) => {
    const { verdict, gaps, surface } = await report(files);
    expect(verdict).toBe('incomplete');
    expect([...gaps, ...surface.unresolved].map((each) => each.reason).join('\n')).toMatch(reason);
  });
});

describe('a tool that was not followed to its end is a gap', () => {
  test('a dispatcher without a branch for the tool', async () => {
    const { verdict, coverage, gaps } = await report({
      'server.js': dispatcher(`server.setRequestHandler(CallToolRequestSchema, async (request) => {
  const { name, arguments: args } = request.params;
  if (name === 'other') return { content: [{ type: 'text', text: String(args.text) }] };
  throw new Error('Unknown tool ' + name);
});`),
    });
    expect({ verdict, coverage }).toMatchObject({ verdict: 'incomplete', coverage: [{ tool: 'echo', branch: false }] });
    expect(gaps[0]?.reason).toContain('no branch for echo');
  });

  const calling = (expression: string, head = ''): string =>
    `${head}\n${dispatcher(`server.setRequestHandler(CallToolRequestSchema, async (request) => {
  const { name, arguments: args } = request.params;
  if (name === 'echo') return { content: [{ type: 'text', text: await ${expression} }] };
  throw new Error('Unknown tool ' + name);
});`)}`;

  test.each([
    ['a module that is missing', calling('svc.execute(args.text)', "import svc from './svc.js';"), './svc.js.execute'],
    [
      'a table filled at run time',
      calling(
        'handlers[name](args)',
        'const handlers = {};\nfor (const each of load()) handlers[each.name] = each.run;',
      ),
      'a function chosen at run time',
    ],
    [
      'a Map from a library',
      calling(
        'tools.get(name).handler(args)',
        "import { all } from 'lib';\nconst tools = new Map(all.map((t) => [t.name, t]));",
      ),
      'get().handler',
    ],
    [
      'a dependency-injection container',
      calling("container.resolve('S').execute(args.text)", "import { container } from 'tsyringe';"),
      'tsyringe.container.resolve().execute',
    ],
  ])('%s receives the data of the caller', async (_what, text, callee) => {
    const { verdict, coverage } = await report({ 'server.js': text });
    expect({ verdict, names: coverage[0]?.unfollowed.map(({ name }) => name) }).toEqual({
      verdict: 'incomplete',
      names: [callee],
    });
  });

  test('a library that the project names is no gap', async () => {
    const made = await report({
      'server.js': calling(
        'new Octokit().issues.create({ title: args.text })',
        "import { Octokit } from '@octokit/rest';",
      ),
    });
    expect(made.verdict).toBe('clean');
  });

  test('a tool that was followed is clean, and the report names its coverage', async () => {
    const made = await report({
      'server.js': dispatcher(`server.setRequestHandler(CallToolRequestSchema, async (request) => {
  const { name, arguments: args } = request.params;
  if (name === 'echo') return { content: [{ type: 'text', text: String(args.text).trim() }] };
  throw new Error('Unknown tool ' + name);
});`),
    });
    expect(made).toMatchObject({
      verdict: 'clean',
      coverage: [{ tool: 'echo', entered: true, finished: true, branch: true, unfollowed: [] }],
    });
    expect(formatScanText(made)).toContain('echo: no capability found; followed');
  });
});

test('gaps of one sort are counted once and shown by three examples', async () => {
  const tools = ['a', 'b', 'c', 'd', 'e'].map((name) => `{ name: '${name}', inputSchema: { type: 'object' } }`).join();
  const made = await report({
    'server.js': dispatcher(`server.setRequestHandler(CallToolRequestSchema, async (request) => {
  throw new Error('Unknown tool');
});`).replace(/tools: \[\{.*\}\],/, `tools: [${tools}],`),
  });
  const text = formatScanText(made);
  expect(text).toContain('5 tools without a branch in their dispatcher');
  expect(text).toContain('and 2 more');
});
