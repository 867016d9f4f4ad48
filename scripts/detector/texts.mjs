// Reads labelled texts for the injection detector: JSON Lines files in the folders given, one object per line with `text`, `label`
// (malicious | benign), `kind` (output | description), `origin`, and optionally `class` or `cls` (injection | jailbreak | planted) and
// `hard`.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Texts of all folders in a fixed order, so that the same files give the same weights. */
export function readTexts(folders) {
  const rows = [];
  for (const folder of folders)
    for (const file of readdirSync(folder)
      .filter((name) => name.endsWith('.jsonl'))
      .sort())
      for (const line of readFileSync(join(folder, file), 'utf8').split('\n')) {
        if (line.trim() === '') continue;
        const row = JSON.parse(line);
        rows.push({
          text: row.text,
          kind: row.kind ?? 'output',
          origin: row.origin,
          isAttack: row.label === 'malicious',
          class: row.label === 'malicious' ? (row.class ?? row.cls ?? 'injection') : 'benign',
          hard: row.hard === true,
        });
      }
  return rows;
}

/** Values of a repeatable option, such as `--texts a --texts b`. */
export const optionValues = (name) =>
  process.argv.flatMap((word, index) =>
    word === name && process.argv[index + 1] !== undefined ? [process.argv[index + 1]] : [],
  );

/** Collections that copy from each other count as one origin. */
export const originGroup = (origin) =>
  origin
    .replace(/^(?:poc|tools)-/, '')
    .replace(/^cyberseceval.*/, 'cyberseceval')
    .replace(/^(?:himathx|shared-deepset|compass-zh)$/, 'deepset')
    .replace(/^injecagent$/, 'llm-fw');
