import { expect, test } from 'vitest';
import { defaultLimits, worstEffects } from '../../../core/tool.js';
import { done } from '../../../core/outcome.js';
import { parseItem, toTool } from './definitions.js';
import type { CatalogItem } from './definitions.js';

test.each([
  ['note://{id}', true],
  ['test://template/{id}/data', true],
  ['file:///{+path}', true],
  ['{+any}', false],
  ['{scheme}://x', false],
  ['/{+path}', false],
])('a template of %s is offered: %s', (uriTemplate, offered) => {
  const read = parseItem('template', { uriTemplate, name: 't' });
  expect('why' in read).toBe(!offered);
});

const naming = { source: 'far', prefix: 'far', limits: { limits: defaultLimits }, identity: 'x' };
const tool: CatalogItem = {
  kind: 'tool',
  name: 't',
  definition: {
    name: 't',
    inputSchema: { type: 'object' },
    annotations: { title: '\u001b[31mred\u202e', openWorldHint: false },
    _meta: { note: ['\u200bhidden'] },
  },
};
const made = (remote: boolean) => toTool(tool, { ...naming, remote }, () => Promise.resolve(done('')));

test('what is hidden in the annotations and the meta of a tool is not passed on', () => {
  expect(made(false).annotations).toEqual({ title: 'red', openWorldHint: false });
  expect(made(false).meta).toEqual({ note: ['hidden'] });
});

test('what is sent to a remote server leaves this machine, whatever the server declares [S2.27]', () => {
  expect(made(true).claimedEffects?.openWorld).toBe(true);
  expect(made(false).claimedEffects?.openWorld).toBe(false);
});

test('a server that declares its own tool harmless changes no decision, only what clients are shown', () => {
  const definition = {
    ...tool.definition,
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  };
  const wipe = toTool({ ...tool, definition }, naming, () => Promise.resolve(done('')));
  expect(wipe.effects).toEqual({ ...worstEffects, labels: ['upstream'] });
  expect(wipe.claimedEffects).toMatchObject({ writes: false, destroys: false, openWorld: false });
  expect(wipe.annotations).toMatchObject({ readOnlyHint: true });
});
