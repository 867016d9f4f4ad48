import type { Tool } from '../core/tool.js';
import type { Log } from './log/log.js';

/** Logs how many tools each source offers at the start. */
export function logLoaded(log: Log, tools: Iterable<Tool>): void {
  const counts = new Map<string, number>();
  for (const { source } of tools) counts.set(source, (counts.get(source) ?? 0) + 1);
  for (const [source, count] of counts) log.event('source.loaded', { source, tools: count });
}
