import type { Tool } from '../core/tool.js';
import { canonicalJson } from '../lib/canonical-json.js';
import { sha256 } from '../lib/hash.js';
import { compareNames, skeleton } from '../lib/look-alike.js';

const minDescriptionLength = 24;
const maxLengthDifference = 2;

const upstreamName = ({ name, details }: Tool): string => {
  const upstream = details?.['upstream'];
  return typeof upstream === 'string' ? upstream : name;
};
const toolIdentity = ({ source, details }: Tool): string => {
  const identity = details?.['identity'];
  return typeof identity === 'string' ? identity : source;
};

/**
 * Finds tools that could be mistaken for a tool of another source (tool shadowing): confusable name (same skeleton), one edit
 * away from an unprefixed name, a source name that imitates another, or a copied definition. The earlier tool stays; the map has
 * the reason against each later one.
 */
export function findLookAlikes(tools: Iterable<Tool>): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const bySkeleton = new Map<string, Tool>();
  const byDefinition = new Map<string, Tool>();
  const unprefixed: Tool[] = [];
  const bySource = new Map<string, Map<string, Tool>>();

  for (const tool of tools) {
    const why = lookAlikeReason(tool);
    if (why !== undefined) {
      found.set(tool.name, why);
      continue;
    }
    bySkeleton.set(skeleton(tool.name), bySkeleton.get(skeleton(tool.name)) ?? tool);
    if (tool.description.length >= minDescriptionLength)
      byDefinition.set(definitionDigest(tool), byDefinition.get(definitionDigest(tool)) ?? tool);
    if (upstreamName(tool) === tool.name) unprefixed.push(tool);
    let own = bySource.get(tool.source);
    if (!own) bySource.set(tool.source, (own = new Map()));
    own.set(skeleton(upstreamName(tool)), tool);
  }
  return found;

  function lookAlikeReason(tool: Tool): string | undefined {
    const same = bySkeleton.get(skeleton(tool.name));
    if (same && same.source !== tool.source) return `its name looks identical to ${same.name} of source ${same.source}`;
    const copied =
      tool.description.length >= minDescriptionLength ? byDefinition.get(definitionDigest(tool)) : undefined;
    if (copied && toolIdentity(copied) !== toolIdentity(tool))
      return `it copies the definition of ${copied.name} of source ${copied.source}`;
    for (const [source, names] of bySource) {
      if (source === tool.source || compareNames(tool.source, source) === undefined) continue;
      const other = names.get(skeleton(upstreamName(tool)));
      if (other && toolIdentity(other) !== toolIdentity(tool))
        return `source ${tool.source} looks like source ${source}, which has ${other.name}`;
    }
    if (upstreamName(tool) !== tool.name) return undefined;
    const near = unprefixed.find(
      (other) =>
        other.source !== tool.source &&
        Math.abs(other.name.length - tool.name.length) <= maxLengthDifference &&
        compareNames(tool.name, other.name) !== undefined,
    );
    return near && `its name differs by one edit from ${near.name} of source ${near.source}`;
  }
}

const definitionDigest = ({ description, input }: Tool): string =>
  sha256(`${description}\n${canonicalJson(input.schema)}`);
