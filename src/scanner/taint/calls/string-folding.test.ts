import { expect, test } from 'vitest';
import { aProject } from '../../../../test/support/scan.js';
import { scan } from '../../scan.js';

const dispatcher = (normalised: string) => `import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { exec } from 'node:child_process';
const server = new Server({ name: 's', version: '1' }, { capabilities: { tools: {} } });
const inputSchema = { type: 'object', properties: { text: { type: 'string' } } };
server.setRequestHandler(ListToolsRequestSchema, async () => ({
  tools: [{ name: 'git_run', description: 'Runs git', inputSchema }, { name: 'echo', description: 'Echo', inputSchema }],
}));
server.setRequestHandler(CallToolRequestSchema, async (request) => {
  const { text } = request.params.arguments;
  ${normalised}
  throw new Error('unknown tool');
});
`;

test.each([
  [
    'a trimmed name in a switch',
    "switch (request.params.name.trim()) { case 'git_run': exec('git ' + text); return {}; case 'echo': return { text }; }",
  ],
  [
    'lower case in a condition',
    "const name = request.params.name.toLowerCase(); if (name === 'git_run') { exec('git ' + text); return {}; } if (name === 'echo') return { text };",
  ],
  [
    'a prefix',
    "const { name } = request.params; if (name.startsWith('git_')) { exec('git ' + text); return {}; } return { text };",
  ],
  [
    'a separator replaced',
    "const name = request.params.name.replace('_', '-'); if (name === 'git-run') { exec('git ' + text); return {}; } return { text };",
  ],
])('the branch of another tool is not entered after %s', async (_name, body) => {
  const { findings } = await scan(await aProject({ 'server.ts': dispatcher(body) }), { rules: ['TG-TAINT-CMD'] });
  expect(findings.map(({ tool, tools }) => tools ?? [tool])).toEqual([['git_run']]);
});

test.each([
  ['a missing argument', "if (!request.params.arguments && name !== 'echo') throw new Error('no arguments');"],
  ['a setting', "if (process.env.LOCKED && name.startsWith('git_')) throw new Error('locked');"],
])('a condition that is only half known does not decide: %s', async (_name, guard) => {
  const body = `const { name } = request.params; ${guard} switch (name) { case 'git_run': exec('git ' + text); return {}; case 'echo': return { text }; }`;
  const { findings } = await scan(await aProject({ 'server.ts': dispatcher(body) }), { rules: ['TG-TAINT-CMD'] });
  expect(findings.map(({ tool }) => tool)).toEqual(['git_run']);
});
