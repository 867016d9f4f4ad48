import { summaryOf } from './docstrings.js';
import type { SurfaceReport } from '../surface/report.js';

/** A tool as a running server lists it. */
export interface LiveTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema?: unknown;
}

/** Where a running server differs from its source. */
export interface Difference {
  readonly kind: 'not-in-source' | 'not-live' | 'description' | 'parameters';
  readonly tool: string;
  readonly why: string;
  /** Low where the source left something unknown that may explain it. */
  readonly severity: 'high' | 'medium' | 'low' | 'note';
}

const plain = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** Compares what the source says with what a running server lists: a live tool that the source does not have is the one that matters. */
export function compareSurface(source: SurfaceReport, live: readonly LiveTool[]): readonly Difference[] {
  const known = new Map(
    [...source.tools, ...source.optionalTools]
      .filter((tool) => tool.confidence !== 'heuristic')
      .map((tool) => [tool.name, tool]),
  );
  const isOpen =
    source.unresolved.some((each) => each.kind === 'tool' || each.kind === 'any') || source.skipped.length > 0;
  const found: Difference[] = [];
  for (const tool of live) {
    const written = known.get(tool.name);
    if (!written) {
      found.push({
        kind: 'not-in-source',
        tool: tool.name,
        severity: isOpen ? 'medium' : 'high',
        why: isOpen
          ? 'it is offered, and the source could not be read far enough to tell where it comes from'
          : 'it is offered but nothing in the source registers it',
      });
      continue;
    }
    if (
      written.description_complete !== false &&
      written.description !== '' &&
      // Newer versions of FastMCP show only what stands before the first section of a docstring.
      ![written.description, summaryOf(written.description)].some(
        (text) => plain(text) === plain(tool.description ?? ''),
      )
    )
      found.push({
        kind: 'description',
        tool: tool.name,
        severity: 'medium',
        why: 'its description is not the one in the source',
      });
    const [given, offered] = [Object.keys(written.schema?.properties ?? {}).sort(), parametersOf(tool.inputSchema)];
    if (written.schema?.partial !== true && given.join() !== offered.join())
      found.push({
        kind: 'parameters',
        tool: tool.name,
        severity: 'low',
        why: `it takes ${offered.join(', ') || 'nothing'} and the source says ${given.join(', ') || 'nothing'}`,
      });
  }
  const offered = new Set(live.map((tool) => tool.name));
  for (const tool of source.tools)
    if (tool.confidence !== 'heuristic' && !offered.has(tool.name))
      found.push({
        kind: 'not-live',
        tool: tool.name,
        severity: 'note',
        why: 'the source registers it but it is not offered',
      });
  return found.sort((one, other) => (one.tool === other.tool ? 0 : one.tool < other.tool ? -1 : 1));
}

function parametersOf(schema: unknown): readonly string[] {
  const properties =
    typeof schema === 'object' && schema !== null && 'properties' in schema ? schema.properties : undefined;
  return typeof properties === 'object' && properties !== null ? Object.keys(properties).sort() : [];
}
