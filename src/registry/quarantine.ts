import type { Tool } from '../core/tool.js';
import { canonicalJson } from '../lib/canonical-json.js';
import { sha256 } from '../lib/hash.js';
import { lookAlike, skeleton } from '../lib/look-alike.js';

const telling = 24;
const nearLength = 2;

const localName = ({ name, details }: Tool): string => {
  const upstream = details?.['upstream'];
  return typeof upstream === 'string' ? upstream : name;
};
const identityOf = ({ source, details }: Tool): string => {
  const identity = details?.['identity'];
  return typeof identity === 'string' ? identity : source;
};

/**
 * Tools that could be taken for another source's: drawn the same, a slip away from an unprefixed name, from a source whose
 * own name imitates another, or with the very words of another. The earlier one stays; the map says why the later does not.
 */
export function imitations(tools: Iterable<Tool>): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const drawn = new Map<string, Tool>();
  const worded = new Map<string, Tool>();
  const plain: Tool[] = [];
  const bySource = new Map<string, Map<string, Tool>>();

  for (const tool of tools) {
    const why = imitated(tool);
    if (why !== undefined) {
      found.set(tool.name, why);
      continue;
    }
    drawn.set(skeleton(tool.name), drawn.get(skeleton(tool.name)) ?? tool);
    if (tool.description.length >= telling) worded.set(wordsOf(tool), worded.get(wordsOf(tool)) ?? tool);
    if (localName(tool) === tool.name) plain.push(tool);
    let own = bySource.get(tool.source);
    if (!own) bySource.set(tool.source, (own = new Map()));
    own.set(skeleton(localName(tool)), tool);
  }
  return found;

  function imitated(tool: Tool): string | undefined {
    const same = drawn.get(skeleton(tool.name));
    if (same && same.source !== tool.source) return `its name is drawn like ${same.name} of source ${same.source}`;
    const copied = tool.description.length >= telling ? worded.get(wordsOf(tool)) : undefined;
    if (copied && identityOf(copied) !== identityOf(tool))
      return `it has the very definition of ${copied.name} of source ${copied.source}`;
    for (const [source, names] of bySource) {
      if (source === tool.source || lookAlike(tool.source, source) === undefined) continue;
      const other = names.get(skeleton(localName(tool)));
      if (other && identityOf(other) !== identityOf(tool))
        return `source ${tool.source} looks like source ${source}, which has ${other.name}`;
    }
    if (localName(tool) !== tool.name) return undefined;
    const near = plain.find(
      (other) =>
        other.source !== tool.source &&
        Math.abs(other.name.length - tool.name.length) <= nearLength &&
        lookAlike(tool.name, other.name) !== undefined,
    );
    return near && `its name is a slip away from ${near.name} of source ${near.source}`;
  }
}

const wordsOf = ({ description, input }: Tool): string => sha256(`${description}\n${canonicalJson(input.schema)}`);
