import type { Tool } from '../core/tool.js';
import { canonicalJson } from '../lib/json/canonical-json.js';
import { sha256 } from '../lib/hash.js';
import { compareNames, skeleton } from '../lib/text/look-alike.js';

/** Shorter descriptions are alike by chance. */
const minDescriptionLength = 24;
/** One edit changes the length by one; two leave room for a pair. */
const maxLengthDifference = 2;

/** Name at the upstream, without the prefix of the source. */
const upstreamName = ({ name, upstream }: Tool): string => upstream?.name ?? name;
/** What a tool comes from: one program started twice with other arguments does not imitate itself. */
const toolIdentity = ({ source, upstream }: Tool): string => upstream?.program ?? upstream?.identity ?? source;

/** Whether the source itself describes the tool; tools that the operator configured, and those of the gateway, imitate nothing. */
const isUntrusted = ({ upstream }: Tool): boolean => upstream !== undefined;

/**
 * Finds tools of untrusted sources that could be mistaken for a tool of another source (tool shadowing): confusable name (same
 * skeleton), one edit away from an unprefixed name, a source name that imitates another, or a copied definition. Tools of the
 * operator come first whatever their order, then the earlier tool stays; the map has the reason against each later one.
 */
export function findLookAlikes(given: Iterable<Tool>): ReadonlyMap<string, string> {
  const tools = [...given];
  const untrusted = tools.filter(isUntrusted);
  const found = new Map<string, string>();
  // Without an untrusted tool nothing is compared: the schemas of a large API document stay unwritten.
  if (untrusted.length === 0) return found;
  const bySkeleton = new Map<string, Tool>();
  const byDescription = new Map<string, Tool[]>();
  const unprefixed: Tool[] = [];
  const bySource = new Map<string, Map<string, Tool>>();

  // The operator's own tools are the originals, whatever their order.
  for (const tool of tools) if (!isUntrusted(tool)) remember(tool);
  for (const tool of untrusted) {
    const why = lookAlikeReason(tool);
    if (why === undefined) remember(tool);
    else found.set(tool.name, why);
  }
  return found;

  // Records a tool that was accepted, for comparison with later ones.
  function remember(tool: Tool): void {
    bySkeleton.set(skeleton(tool.name), bySkeleton.get(skeleton(tool.name)) ?? tool);
    if (tool.description.length >= minDescriptionLength)
      byDescription.set(tool.description, [...(byDescription.get(tool.description) ?? []), tool]);
    if (upstreamName(tool) === tool.name) unprefixed.push(tool);
    let own = bySource.get(tool.source);
    if (!own) bySource.set(tool.source, (own = new Map()));
    own.set(skeleton(upstreamName(tool)), tool);
  }

  function lookAlikeReason(tool: Tool): string | undefined {
    const same = bySkeleton.get(skeleton(tool.name));
    // The same skeleton: characters of other alphabets that look alike (homoglyphs).
    if (same && same.source !== tool.source) return `its name looks identical to ${same.name} of source ${same.source}`;
    const copied = byDescription
      .get(tool.description)
      // Description and schema together: common phrases alone prove nothing.
      ?.find((other) => toolIdentity(other) !== toolIdentity(tool) && schemaDigest(other) === schemaDigest(tool));
    if (copied) return `it copies the definition of ${copied.name} of source ${copied.source}`;
    for (const [source, names] of bySource) {
      if (source === tool.source || compareNames(tool.source, source) === undefined) continue;
      const other = names.get(skeleton(upstreamName(tool)));
      if (other && toolIdentity(other) !== toolIdentity(tool))
        return `source ${tool.source} looks like source ${source}, which has ${other.name}`;
    }
    // Prefixed names already show their source.
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

/** Digest of the input schema, independent of the order of its keys. */
const schemaDigest = ({ input }: Tool): string => sha256(canonicalJson(input.schema));
