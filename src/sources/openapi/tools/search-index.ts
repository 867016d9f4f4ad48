import { operationLabel } from '../document/model.js';
import type { OperationTool } from './operation-tool.js';

/** Searches operations by keyword, best match first. */
export type OperationSearch = (query: string, sees: (tool: OperationTool) => boolean) => readonly OperationTool[];

const maxQueryWords = 20;

/** Splits text into words, including identifiers such as `getPetById2`. */
const splitIdentifierWords = (text: string): readonly string[] =>
  text
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replaceAll(/(\p{L})(\p{N})/gu, '$1 $2')
    .replaceAll(/(\p{N})(\p{L})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');

/** Index over names, paths, tags and descriptions, weighted by inverse document frequency. */
export function searchIndex(tools: readonly OperationTool[]): OperationSearch {
  const entries = tools.map((tool) => ({
    tool,
    head: new Set(
      splitIdentifierWords(
        `${tool.name} ${tool.operation.operationId ?? ''} ${operationLabel(tool.operation)} ${tool.operation.tags.join(' ')}`,
      ),
    ),
    text: new Set(splitIdentifierWords(`${tool.title ?? ''} ${tool.description}`)),
  }));
  const documentFrequency = new Map<string, number>();
  for (const { head, text } of entries)
    for (const word of new Set([...head, ...text])) documentFrequency.set(word, (documentFrequency.get(word) ?? 0) + 1);
  const weight = (word: string): number => Math.log(1 + tools.length / (documentFrequency.get(word) ?? 1));

  return (query, sees) => {
    const words = [...new Set(splitIdentifierWords(query.slice(0, 1_000)))].slice(0, maxQueryWords);
    const visible = entries.filter(({ tool }) => sees(tool));
    if (words.length === 0) return visible.map(({ tool }) => tool);
    return visible
      .map(({ tool, head, text }) => ({
        tool,
        score: words.reduce((sum, word) => sum + scoreWord(word, head, text) * weight(word), 0),
      }))
      .filter(({ score }) => score > 0)
      .toSorted((one, other) => other.score - one.score || (one.tool.name < other.tool.name ? -1 : 1))
      .map(({ tool }) => tool);
  };
}

function scoreWord(word: string, head: ReadonlySet<string>, text: ReadonlySet<string>): number {
  if (head.has(word)) return 4;
  if (text.has(word)) return 2;
  // Prefix match: `pet` finds `pets`, and `list` finds `listing`.
  if (word.length < 3) return 0;
  for (const entry of head) if (entry.startsWith(word) || (word.startsWith(entry) && entry.length > 3)) return 2;
  for (const entry of text) if (entry.startsWith(word)) return 0.5;
  return 0;
}
