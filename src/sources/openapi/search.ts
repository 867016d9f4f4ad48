import { said } from './model.js';
import type { OperationTool } from './tool.js';

/** Finds the operations that words speak of, best first. */
export type Search = (query: string, sees: (tool: OperationTool) => boolean) => readonly OperationTool[];

const mostWords = 20;

/** Words of a text, with `getPetById2` taken apart. */
const wordsOf = (text: string): readonly string[] =>
  text
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replaceAll(/(\p{L})(\p{N})/gu, '$1 $2')
    .replaceAll(/(\p{N})(\p{L})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');

/** An index over the names, paths, tags and descriptions of operations; a word that few of them have counts for more. */
export function searchIndex(tools: readonly OperationTool[]): Search {
  const entries = tools.map((tool) => ({
    tool,
    head: new Set(
      wordsOf(
        `${tool.name} ${tool.operation.operationId ?? ''} ${said(tool.operation)} ${tool.operation.tags.join(' ')}`,
      ),
    ),
    text: new Set(wordsOf(`${tool.title ?? ''} ${tool.description}`)),
  }));
  const spread = new Map<string, number>();
  for (const { head, text } of entries)
    for (const word of new Set([...head, ...text])) spread.set(word, (spread.get(word) ?? 0) + 1);
  const weight = (word: string): number => Math.log(1 + tools.length / (spread.get(word) ?? 1));

  return (query, sees) => {
    const words = [...new Set(wordsOf(query.slice(0, 1_000)))].slice(0, mostWords);
    const visible = entries.filter(({ tool }) => sees(tool));
    if (words.length === 0) return visible.map(({ tool }) => tool);
    return visible
      .map(({ tool, head, text }) => ({
        tool,
        score: words.reduce((sum, word) => sum + found(word, head, text) * weight(word), 0),
      }))
      .filter(({ score }) => score > 0)
      .toSorted((one, other) => other.score - one.score || (one.tool.name < other.tool.name ? -1 : 1))
      .map(({ tool }) => tool);
  };
}

function found(word: string, head: ReadonlySet<string>, text: ReadonlySet<string>): number {
  if (head.has(word)) return 4;
  if (text.has(word)) return 2;
  // `pet` finds `pets`, and `list` finds `listing`.
  if (word.length < 3) return 0;
  for (const each of head) if (each.startsWith(word) || (word.startsWith(each) && each.length > 3)) return 2;
  for (const each of text) if (each.startsWith(word)) return 0.5;
  return 0;
}
