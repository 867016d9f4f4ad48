import { summaryOf } from './docstrings.js';
import type { SurfaceReport } from '../surface/report.js';

/** A tool as a running server lists it. */
export interface LiveTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema?: unknown;
}

/** A difference between a running server and its source. */
export interface Difference {
  readonly kind: 'not-in-source' | 'not-live' | 'description' | 'parameters';
  readonly tool: string;
  readonly why: string;
  /** Lower if an unresolved part of the source may explain it. */
  readonly severity: 'high' | 'medium' | 'low' | 'note';
}

/** Ignores line breaks and indentation, which SDKs normalise differently. */
const normaliseSpace = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** Compares the scanned surface with the tools a running server lists; the critical case is a live tool that is not in the source. */
export function compareSurface(source: SurfaceReport, live: readonly LiveTool[]): readonly Difference[] {
  const known = new Map(
    [...source.tools, ...source.optionalTools]
      .filter((tool) => tool.confidence !== 'heuristic')
      .map((tool) => [tool.name, tool]),
  );
  // With gaps in the analysis a difference proves less.
  const isPartlyUnknown =
    source.unresolved.some((each) => each.kind === 'tool' || each.kind === 'any') || source.skipped.length > 0;
  const found: Difference[] = [];
  for (const tool of live) {
    const declared = known.get(tool.name);
    if (!declared) {
      found.push({
        kind: 'not-in-source',
        tool: tool.name,
        severity: isPartlyUnknown ? 'medium' : 'high',
        why: isPartlyUnknown
          ? 'it is offered, and the source could not be analysed completely enough to find its origin'
          : 'it is offered, but nothing in the source registers it',
      });
      continue;
    }
    // An incomplete description cannot be compared.
    if (
      declared.description_complete !== false &&
      declared.description !== '' &&
      // FastMCP 3 sends only the part of a docstring before its first section.
      ![declared.description, summaryOf(declared.description)].some(
        (text) => normaliseSpace(text) === normaliseSpace(tool.description ?? ''),
      )
    )
      found.push({
        kind: 'description',
        tool: tool.name,
        severity: 'medium',
        why: 'its description differs from the source',
      });
    const [given, offered] = [Object.keys(declared.schema?.properties ?? {}).sort(), parametersOf(tool.inputSchema)];
    // A partial schema cannot be compared.
    if (declared.schema?.partial !== true && given.join() !== offered.join())
      found.push({
        kind: 'parameters',
        tool: tool.name,
        severity: 'low',
        why: `it takes ${offered.join(', ') || 'no parameters'}, and the source declares ${given.join(', ') || 'none'}`,
      });
  }
  const offered = new Set(live.map((tool) => tool.name));
  for (const tool of source.tools)
    if (tool.confidence !== 'heuristic' && !offered.has(tool.name))
      found.push({
        kind: 'not-live',
        tool: tool.name,
        severity: 'note',
        why: 'the source registers it, but it is not offered',
      });
  return found.sort((one, other) => (one.tool === other.tool ? 0 : one.tool < other.tool ? -1 : 1));
}

/** Parameter names in a schema that the server sent; it may be anything. */
function parametersOf(schema: unknown): readonly string[] {
  const properties =
    typeof schema === 'object' && schema !== null && 'properties' in schema ? schema.properties : undefined;
  return typeof properties === 'object' && properties !== null ? Object.keys(properties).sort() : [];
}
