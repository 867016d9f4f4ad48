import { chmodSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lab } from '../lab.js';
import { alone, rowsOver } from '../row.js';
import type { Row } from '../row.js';
import type { Subject } from '../subject.js';

const row = rowsOver({});
const marker = 'a-marker-in-the-arguments';
const auditFolder = ({ embedded }: Subject): string => join(embedded.gate.config().state.directory ?? '', 'audit');
const journals = (subject: Subject): readonly string[] =>
  readdirSync(auditFolder(subject), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.jsonl'));

/** Whether the stages of a call are shown to an administrator. */
const stages = async (subject: Subject): Promise<boolean> => {
  const { answer } = await subject.call('say');
  const id = answer.headers.get('x-correlation-id') ?? '';
  const { json } = await subject.send('/calls');
  const call = json.calls.find(
    (each: { correlationId?: string; correlation_id?: string }) => (each.correlation_id ?? each.correlationId) === id,
  );
  return ((await subject.send(`/calls/${call.call}`)).json.stages ?? []).length > 0;
};
/** Number of journal files after more than a mebibyte of records. */
const files = async (subject: Subject): Promise<boolean> => {
  await subject.call('say');
  const before = journals(subject).length;
  const args = { text: 'x'.repeat(60_000) };
  for (let turn = 0; turn < 30; turn += 1) await subject.call('say', args);
  return journals(subject).length > before;
};

const helper = join(lab.folder, 'helper');
writeFileSync(helper, '#!/bin/sh\n[ "$2" = slow ] && sleep 1\necho "$1-value-of-at-least-32-characters-000"\n');
chmodSync(helper, 0o700);
const secret =
  (token: string) =>
  async (subject: Subject): Promise<number> =>
    (await subject.send('/tools', { token: `${token}-value-of-at-least-32-characters-000` })).status;
const secrets = rowsOver({
  auth: { tokens: [{ name: 'bob', token: '${secret:VAULT}' }] },
  secrets: { helper: [helper, 'one', '{name}'] },
});

const prompt = { name: 'greet', messages: [{ text: 'Hello {{who}}' }], arguments: [{ name: 'who' }] };
const prompts = rowsOver({ prompts: [prompt] });
const listed =
  (part: (found: Record<string, never> & { arguments: readonly Record<string, unknown>[] }) => unknown) =>
  async (subject: Subject) =>
    part((await subject.mcp('prompts/list')).prompts[0]);
const got =
  (
    part: (result: { messages: readonly { role: string; content: { text: string } }[]; error?: unknown }) => unknown,
    args: object = { who: 'you' },
  ) =>
  async (subject: Subject) =>
    part(await subject.mcp('prompts/get', { name: 'greet', arguments: args }));

export const recordRows: readonly Row[] = [
  row(
    'audit.keep_arguments',
    [false, true],
    async (subject) => {
      await subject.call('say', { text: `${marker}-${Math.random()}` });
      return JSON.stringify(subject.journal().at(-1)).includes(marker);
    },
    [false, true],
  ),
  row('audit.stages', [false, true], stages, [false, true]),
  alone(
    row('audit.max_file_bytes', [67_108_864, 1_048_576], files, [false, true], { audit: { keep_arguments: true } }),
  ),
  row(
    'state.directory',
    [join(lab.folder, 'one'), join(lab.folder, 'two')],
    () => existsSync(join(lab.folder, 'two', 'audit')),
    [false, true],
  ),
  secrets(
    'secrets.helper',
    [
      [helper, 'one'],
      [helper, 'two'],
    ],
    secret('two'),
    [401, 200],
  ),
  row(
    'log.level',
    ['info', 'error'],
    async (subject) => {
      const before = subject.log().length;
      await subject.call('say');
      return subject.log().length > before;
    },
    [true, false],
  ),
  row(
    'log.format',
    ['json', 'text'],
    async (subject) => {
      const before = subject.log().length;
      await subject.call('say');
      return subject.log().slice(before).startsWith('{');
    },
    [true, false],
  ),
  prompts(
    'prompts.[].name',
    ['greet', 'hail'],
    listed(({ name }) => name),
    ['greet', 'hail'],
  ),
  prompts(
    'prompts.[].title',
    ['One', 'Two'],
    listed(({ title }) => title),
    ['One', 'Two'],
  ),
  prompts(
    'prompts.[].description',
    ['One', 'Two'],
    listed(({ description }) => description),
    ['One', 'Two'],
  ),
  prompts(
    'prompts.[].arguments.[].name',
    ['whom', 'which'],
    listed((found) => found.arguments[0]?.['name']),
    ['whom', 'which'],
    { prompts: [{ ...prompt, messages: [{ text: 'Hello' }] }] },
  ),
  prompts(
    'prompts.[].arguments.[].title',
    ['One', 'Two'],
    listed((found) => found.arguments[0]?.['title']),
    ['One', 'Two'],
  ),
  prompts(
    'prompts.[].arguments.[].description',
    ['One', 'Two'],
    listed((found) => found.arguments[0]?.['description']),
    ['One', 'Two'],
  ),
  prompts(
    'prompts.[].arguments.[].required',
    [false, true],
    got(({ messages }) => messages !== undefined, {}),
    [true, false],
  ),
  prompts(
    'prompts.[].messages.[].role',
    ['user', 'assistant'],
    got(({ messages }) => messages[0]?.role),
    ['user', 'assistant'],
  ),
  prompts(
    'prompts.[].messages.[].text',
    ['Hello {{who}}', 'Bye {{who}}'],
    got(({ messages }) => messages[0]?.content.text),
    ['Hello you', 'Bye you'],
  ),
];
