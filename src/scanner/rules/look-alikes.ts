import { drawn, drawnAlike, editDistance, type Drawn } from '../../lib/look-alike.js';
import { locationOf, type Location } from '../ir/positions.js';
import type { Entry } from '../taint/sources.js';

/** All of a tool that is compared with other tools: plain data, so that tools of different parts of a tree can be compared. */
export interface ToldTool extends Drawn {
  /** The name without its separators. */
  readonly bare: string;
  /** What its description says first. */
  readonly sentence: string;
  readonly parameters: string;
  /** The code that answers, by its place. */
  readonly handler: string;
  readonly isDispatcher: boolean;
  readonly location: Location;
}

/** What one tool does to an earlier one. */
export interface Resemblance {
  readonly message: string;
  readonly severity: 'medium' | 'high';
}

/** What is compared of a tool, made once for all comparisons. */
export function toldTool({ name, description, schema, handler, isDispatcher }: Entry): ToldTool {
  const { module, fn } = handler;
  return {
    ...drawn(name),
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

/** How a tool passes for one that was there before it, if it does. */
export function resemblance(before: ToldTool, tool: ToldTool): Resemblance | undefined {
  const isSameCode = before.handler === tool.handler;
  if (before.name === tool.name)
    return before.location.file === tool.location.file && !isSameCode
      ? { message: `${tool.name} is registered twice with different code`, severity: 'medium' }
      : undefined;
  if (isSameCode && !before.isDispatcher) return undefined;
  if (before.skeleton === tool.skeleton && before.bare !== tool.bare)
    return { message: `${tool.name} is drawn like ${before.name}`, severity: 'high' };
  if (before.sentence.length < 20 || tool.sentence.length < 20) return undefined;
  if (before.sentence === tool.sentence && isInside(before.name, tool.name))
    return { message: `${tool.name} says the same as ${before.name}`, severity: 'medium' };
  return before.parameters === tool.parameters &&
    tool.parameters !== '' &&
    isNear(before, tool) &&
    editDistance(before.sentence, tool.sentence, 3) <= 3
    ? { message: `${tool.name} is hardly told from ${before.name}, by its name or its text`, severity: 'medium' }
    : undefined;
}

const isInside = (one: string, other: string): boolean =>
  one.length !== other.length && (other.endsWith(`_${one}`) || one.endsWith(`_${other}`));

const isNear = (before: ToldTool, tool: ToldTool): boolean =>
  `${before.name}s` === tool.name || `${tool.name}s` === before.name || drawnAlike(tool, before) !== undefined;
