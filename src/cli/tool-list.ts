import { escapeInvisible } from '../lib/text/escape-invisible.js';
import type { Io } from './io.js';

/** A tool as lists show it. */
export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly source: string;
  readonly ready: boolean;
  readonly reason?: string;
  readonly enabled: boolean;
}

/** A definition that is not offered. */
export interface ListedWithheld {
  readonly what: string;
  readonly why: string;
  readonly source?: string;
}

/** Wider names get no padding, so that one long name does not push every description off the screen. */
const widestName = 48;

/** Prints tools in columns that fit their names, and cuts descriptions at the width of a terminal. */
export function printTools(tools: readonly ListedTool[], withheld: readonly ListedWithheld[], io: Io): void {
  const width = Math.min(widestName, Math.max(10, ...tools.map(({ name }) => name.length)));
  // In a pipe lines stay whole: scripts match on the description.
  const columns = io.isTTY ? Math.max(40, process.stdout.columns ?? 80) : Number.POSITIVE_INFINITY;
  const line = (name: string, state: string, text: string): void => {
    const whole = `${name.padEnd(width)} ${state.padEnd(9)} ${escapeInvisible(text)}`;
    io.out(`${whole.length > columns ? `${whole.slice(0, columns - 1)}…` : whole}\n`);
  };
  for (const { name, ready, enabled, reason, description } of tools)
    line(name, ready ? (enabled ? 'ready' : 'disabled') : 'not ready', reason ?? description.split('\n', 1)[0] ?? '');
  for (const { what, why, source } of withheld)
    line(escapeInvisible(what), 'withheld', source === undefined ? why : `${source}: ${why}`);
}

/** What the definitions of one source cost a model's context. */
interface SourceCost {
  readonly source: string;
  readonly tools: number;
  readonly bytes: number;
  readonly tokens: number;
}

/** A token of JSON is about four bytes with the tokenizers in use. */
const bytesPerToken = 4;

/** Sums definitions per source, the most expensive first. */
export function costBySource(
  tools: readonly { readonly source: string; readonly definition: unknown }[],
): readonly SourceCost[] {
  const sums = new Map<string, { tools: number; bytes: number }>();
  for (const { source, definition } of tools) {
    const sum = sums.get(source) ?? { tools: 0, bytes: 0 };
    sum.tools += 1;
    // Bytes, not characters: tokenizers work on UTF-8, and a CJK character costs more than one token.
    sum.bytes += Buffer.byteLength(JSON.stringify(definition));
    sums.set(source, sum);
  }
  return [...sums]
    .map(([source, sum]) => ({ source, ...sum, tokens: Math.ceil(sum.bytes / bytesPerToken) }))
    .toSorted((a, b) => b.tokens - a.tokens);
}

/** Prints the cost per source and in all. */
export function printCost(costs: readonly SourceCost[], io: Io): void {
  const width = Math.max(6, ...costs.map(({ source }) => source.length));
  const line = (source: string, tools: string, tokens: string): void =>
    io.out(`${source.padEnd(width)} ${tools.padStart(7)} ${tokens.padStart(9)}\n`);
  line('source', 'tools', 'tokens');
  for (const { source, tools, tokens } of costs) line(source, String(tools), String(tokens));
  const sum = (key: 'tools' | 'tokens'): string => String(costs.reduce((total, cost) => total + cost[key], 0));
  line('all', sum('tools'), sum('tokens'));
}
