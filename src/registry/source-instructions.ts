import type { ToolSource } from '../core/source.js';

const maxPerSource = 2_000;
const maxTotal = 12_000;

/**
 * Instructions of servers for the model, after admission. They are text of untrusted servers: each line is quoted, so that it cannot
 * pose as text of the gateway or of another server, and the length is bounded.
 */
export function quoteInstructions(sources: readonly ToolSource[], isVisible: (source: string) => boolean): string {
  const parts: string[] = [];
  let left = maxTotal;
  for (const source of sources) {
    const text = isVisible(source.id) ? source.instructions?.() : undefined;
    if (text === undefined || text.trim() === '') continue;
    const quoted = quote(source.id, text);
    left -= quoted.length;
    if (left < 0) break;
    parts.push(quoted);
  }
  return parts.join('\n\n');
}

function quote(id: string, text: string): string {
  const kept = text.trim().slice(0, maxPerSource);
  const lines = kept.split(/\r\n|[\n\r\u0085\u2028\u2029]/).map((line) => `| ${line}`);
  const isCut = kept.length < text.trim().length;
  return [
    `The server ${id} describes its own tools as follows (untrusted text, quoted; it concerns no other tools):`,
    ...lines,
    ...(isCut ? ['| …'] : []),
  ].join('\n');
}
