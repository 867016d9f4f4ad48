import { withSkeleton, compareSkeletons, editDistance, type NameSkeleton } from '../../../lib/text/look-alike.js';
import { locationOf, type Location } from '../../ir/positions.js';
import type { ToolEntry } from '../../taint/sources/sources.js';

/** The properties by which tools are compared; plain data, so that tools from different worker threads can be compared. */
export interface ComparableTool extends NameSkeleton {
  /** The name without its separators. */
  readonly bare: string;
  /** The first sentence of its description. */
  readonly sentence: string;
  readonly parameters: string;
  /** The location of the handler's code. */
  readonly handler: string;
  readonly isDispatcher: boolean;
  readonly location: Location;
}

/** How a tool resembles an earlier one. */
interface Resemblance {
  readonly message: string;
  readonly severity: 'medium' | 'high';
}

/** Extracts the compared properties once, since every pair of tools is compared. */
export function toComparableTool({ name, description, schema, handler, isDispatcher }: ToolEntry): ComparableTool {
  const { module, fn } = handler;
  return {
    ...withSkeleton(name),
    bare: name.replace(/[-_]/g, '').toLowerCase(),
    sentence: (description.trim().split(/\n|(?<=\.)\s/)[0] ?? '').trim(),
    parameters: Object.keys(schema?.properties ?? {})
      .sort()
      .join(),
    handler: `${module.path}:${fn.start}-${fn.end}`,
    isDispatcher,
    location: locationOf(module, { start: fn.start, end: fn.start }),
  };
}

/** How a tool can be mistaken for an earlier one, if it can. */
export function findResemblance(before: ComparableTool, tool: ComparableTool): Resemblance | undefined {
  const isSameCode = before.handler === tool.handler;
  if (before.name === tool.name)
    return before.location.file === tool.location.file && !isSameCode
      ? { message: `${tool.name} is registered twice with different code`, severity: 'medium' }
      : undefined;
  if (isSameCode && !before.isDispatcher) return undefined;
  if (before.skeleton === tool.skeleton && before.bare !== tool.bare)
    return { message: `${tool.name} looks identical to ${before.name} (confusable characters)`, severity: 'high' };
  if (before.sentence.length < 20 || tool.sentence.length < 20) return undefined;
  if (before.sentence === tool.sentence && isSuffixOf(before.name, tool.name))
    return { message: `${tool.name} has the same description as ${before.name}`, severity: 'medium' };
  return before.parameters === tool.parameters &&
    tool.parameters !== '' &&
    hasSimilarName(before, tool) &&
    editDistance(before.sentence, tool.sentence, 3) <= 3
    ? { message: `${tool.name} is hard to distinguish from ${before.name} by name and description`, severity: 'medium' }
    : undefined;
}

const isSuffixOf = (one: string, other: string): boolean =>
  one.length !== other.length && (other.endsWith(`_${one}`) || one.endsWith(`_${other}`));

const hasSimilarName = (before: ComparableTool, tool: ComparableTool): boolean =>
  `${before.name}s` === tool.name || `${tool.name}s` === before.name || compareSkeletons(tool, before) !== undefined;
