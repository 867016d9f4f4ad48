import { rankedSearch, type RankedSearch } from '../../../lib/search/ranked-search.js';
import { operationLabel } from '../document/model.js';
import type { OperationTool } from './operation-tool.js';

/** Searches operations by plain words, best match first. */
export type OperationSearch = RankedSearch<OperationTool>;

/** Index over names, summaries, paths, tags and descriptions of operations. */
export const searchIndex = (tools: readonly OperationTool[]): OperationSearch =>
  rankedSearch(
    tools.map((tool) => {
      const { operation } = tool;
      return {
        item: tool,
        names: [tool.name, operation.operationId ?? '', operation.summary ?? '', operationLabel(operation)],
        fields: [
          { text: `${operation.operationId ?? tool.name}`, weight: 2.5 },
          { text: operation.summary ?? '', weight: 3 },
          { text: operation.path.replaceAll(/\{[^}]*\}/g, ' '), weight: 1.5 },
          { text: methodWords(operation.method, operation.path), weight: 2 },
          { text: operation.tags.join(' '), weight: 0.7 },
          { text: tool.description, weight: 0.6 },
        ],
      };
    }),
  );

/** What a method asks for in the words of a question; a GET of a collection lists, of an item gets. */
function methodWords(method: string, path: string): string {
  const isItem = /\}\/?$/.test(path);
  switch (method.toLowerCase()) {
    case 'get':
      return isItem ? 'get' : 'list get';
    case 'post':
      return isItem ? '' : 'create';
    case 'put':
    case 'patch':
      return 'update';
    case 'delete':
      return 'delete';
    default:
      return '';
  }
}
