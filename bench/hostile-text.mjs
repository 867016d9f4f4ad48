// Speed of text sanitising in megabytes per second of CPU time, on benign text of 1 KB and 100 KB.
import { clean } from '../dist/hostile-text/clean.js';
import { detectInjection } from '../dist/hostile-text/injection/detect.js';
import { redact } from '../dist/hostile-text/secrets.js';

const PARAGRAPHS = [
  'The service keeps a list of projects and returns one page of them with every request; pass the cursor of the last page to get the next.\n',
  '2026-03-04T11:22:33Z INFO request finished path=/v1/items status=200 bytes=18233 duration=41ms peer=10.2.3.4\n',
  '{"id":"a81c5","name":"north gate","tags":["stone","old"],"size":{"width":12,"height":40},"updated":"2026-01-30"}\n',
  '    for (const entry of entries) { total += entry.size; names.push(entry.name.trim()); }\n',
  '- Fixed: the tree view no longer jumps when a folder with many files is opened (#1432)\n',
];

const FOREIGN = [
  'Отчёт о работе отдела за прошлый месяц перечисляет расходы, доходы и открытые вопросы.\n',
  '会议定于周四上午十点举行，报告列出了各部门的收入和支出。\n',
  'Die Besprechung über Größe und Übung findet am Donnerstag um zehn Uhr statt.\n',
];
const SAMPLES = { ascii: PARAGRAPHS, mixed: [...PARAGRAPHS, ...FOREIGN], foreign: FOREIGN };

function textOf(length, parts = PARAGRAPHS) {
  let text = '';
  for (let index = 0; text.length < length; index++) text += parts[index % parts.length].replace('1432', String(index));
  // Through a buffer, so that the text is one flat string as it would come off a socket.
  return Buffer.from(text.slice(0, length)).toString();
}

function megabytesPerSecond(work, text, totalBytes) {
  const bytes = Buffer.byteLength(text);
  const rounds = Math.ceil(totalBytes / bytes);
  for (let round = 0; round < rounds / 2; round++) work(text);
  const before = process.cpuUsage();
  for (let round = 0; round < rounds; round++) work(text);
  const { user, system } = process.cpuUsage(before);
  return Number(((rounds * bytes) / (user + system)).toFixed(1));
}

const WORK = {
  clean: (text) => clean(text).text,
  redact: (text) => redact(text).text,
  detect: (text) => detectInjection(text, 'output').score,
};

/** Figures by work and size; every result is checked, so that a broken build cannot look fast. */
export async function run() {
  const figures = {};
  for (const [name, work] of Object.entries(WORK)) {
    for (const [size, length] of [
      ['1KB', 1024],
      ['100KB', 102_400],
    ]) {
      const text = textOf(length);
      const result = work(text);
      if (name === 'detect' ? result >= 1 : result !== text) throw new Error(`${name} changed or flagged benign text`);
      figures[`${name} ${size}`] = { mbPerSecond: megabytesPerSecond(work, text, 20_000_000) };
    }
  }
  for (const [name, parts] of Object.entries(SAMPLES))
    figures[`detect ${name}`] = { mbPerSecond: megabytesPerSecond(WORK.detect, textOf(102_400, parts), 20_000_000) };
  return figures;
}

if (import.meta.url === `file://${process.argv[1]}`) console.log(JSON.stringify(await run(), null, 2));
