import { bigramFrequency, maxBigramFrequency } from './bigram-frequency.js';

/** Called for a literal and its position; returns where to continue: literals that begin before that are skipped. */
export type OnLiteral = (at: number, literal: string) => number;

/** Reports every literal in a text. */
type LiteralSearch = (text: string, onLiteral: OnLiteral) => void;

interface AnchoredLiteral {
  readonly literal: string;
  /** Offset of the end of the literal's rarest n-gram. */
  readonly offset: number;
  /** First and last character: most candidates differ in one of them, which is cheaper than a full comparison. */
  readonly first: number;
  readonly last: number;
}

interface Tables {
  /** One byte per hash: 1 if occupied. Bits would need an eighth of the memory and twice the time. */
  readonly occupied: Uint8Array;
  /** For an occupied hash, the index of its list of literals. */
  readonly listOf: Uint16Array;
  /** For each list, a bit set of the characters that may precede and follow its n-gram (Bloom filter). */
  readonly before: Int32Array;
  readonly behind: Int32Array;
  readonly lists: readonly (readonly AnchoredLiteral[])[];
}

/**
 * Multi-pattern search for literals of two characters or more in one pass (as Rabin-Karp): a table marks the rarest n-gram of each
 * literal, so that ordinary text is scanned at the speed of the loop, however many literals there are.
 */
export function literalSearch(literals: readonly string[]): LiteralSearch {
  const neighbours = Math.min(4, ...literals.map((literal) => literal.length));
  if (neighbours < 2) throw new Error('a literal needs two characters');
  // Five bits per character: lower-case letters differ in them, and the character before the n-gram is shifted out.
  const bits = neighbours < 3 ? 8 : 5;
  const mask = (1 << (bits * neighbours)) - 1;
  // Built with the first text: at start-up there is none to search. Checked inside the search, since a wrapper function would
  // prevent inlining into its callers.
  let tables: Tables | undefined;

  return (text, onLiteral) => {
    tables ??= buildTables(literals, neighbours, bits, mask);
    const { listOf, before, behind, lists } = tables;
    const buffer = (buffers[depth] ??= Buffer.alloc(pieceLength));
    depth += 1;
    try {
      let slot = 0;
      let from = 0;
      for (let start = 0; start < text.length; start += pieceLength) {
        const length = buffer.write(
          text.length <= pieceLength ? text : text.slice(start, start + pieceLength),
          'latin1',
        );
        for (let index = 0; ; index++) {
          index = nextCandidate(buffer, index, length, tables, neighbours, bits, mask, slot);
          slot = candidateSlot;
          if (index === length) break;
          const list = listOf[hashSlot(slot)] ?? 0;
          const at = start + index;
          if (((before[list] ?? 0) & bitOf(text, at - neighbours)) === 0) continue;
          if (((behind[list] ?? 0) & bitOf(text, at + 1)) === 0) continue;
          from = matchCandidates(text, at, lists[list] ?? [], from, onLiteral);
        }
      }
    } finally {
      depth -= 1;
    }
  };
}

let candidateSlot = 0;

/**
 * Index of the next marked n-gram with possible neighbours, or the end; `candidateSlot` is its slot. Short and separate, so that V8
 * optimises it once for all searches.
 */
function nextCandidate(
  buffer: Uint8Array,
  from: number,
  length: number,
  { occupied, listOf, before, behind }: Tables,
  neighbours: number,
  bits: number,
  mask: number,
  previousSlot: number,
): number {
  let slot = previousSlot;
  for (let index = from; index < length; index++) {
    slot = ((slot << bits) ^ (buffer[index] ?? 0)) & mask;
    const hash = hashSlot(slot);
    if (occupied[hash] === 0) continue;
    // Most marked n-grams occur in other words. At the edges of the buffer the caller checks the neighbours in the text.
    if (index >= neighbours && index + 1 < length) {
      const list = listOf[hash] ?? 0;
      if (((before[list] ?? 0) & (1 << ((buffer[index - neighbours] ?? 0) & 31))) === 0) continue;
      if (((behind[list] ?? 0) & (1 << ((buffer[index + 1] ?? 0) & 31))) === 0) continue;
    }
    candidateSlot = slot;
    return index;
  }
  candidateSlot = slot;
  return length;
}

function buildTables(literals: readonly string[], neighbours: number, bits: number, mask: number): Tables {
  const slotOf = (literal: string, end: number): number => {
    let slot = 0;
    for (let at = end - neighbours + 1; at <= end; at++)
      slot = ((slot << bits) ^ (literal.charCodeAt(at) & 0xff)) & mask;
    return slot;
  };
  // Indexed by a hash of the slot, so that the tables stay in the CPU cache.
  const occupied = new Uint8Array(1 << tableBits);
  const listOf = new Uint16Array(1 << tableBits);
  const lists: AnchoredLiteral[][] = [];
  const before: number[] = [];
  const behind: number[] = [];
  for (const literal of [...new Set(literals)].sort((a, b) => b.length - a.length)) {
    const offset = rarestEnd(literal, neighbours);
    const place = hashSlot(slotOf(literal, offset));
    if (occupied[place] === 0) {
      occupied[place] = 1;
      listOf[place] = lists.push([]) - 1;
    }
    const list = listOf[place] ?? 0;
    before[list] = (before[list] ?? 0) | (offset < neighbours ? -1 : bitOf(literal, offset - neighbours));
    behind[list] = (behind[list] ?? 0) | (offset + 1 === literal.length ? -1 : bitOf(literal, offset + 1));
    lists[list]?.push({
      literal,
      offset,
      first: literal.charCodeAt(0),
      last: literal.charCodeAt(literal.length - 1),
    });
  }
  return { occupied, listOf, before: Int32Array.from(before), behind: Int32Array.from(behind), lists };
}

// Bytes are faster to read than characters of a string: the low byte of every character is copied here, a piece at a time, and
// candidates are compared with the text. A callback may search again, so there is one buffer per depth.
const pieceLength = 16_384;
const buffers: Buffer[] = [];
let depth = 0;

const tableBits = 16;
const hashSlot = (slot: number): number => Math.imul(slot, 0x9e3779b1) >>> (32 - tableBits);

/** Reports the candidates that match at an n-gram; returns where to continue. */
function matchCandidates(
  text: string,
  at: number,
  candidates: readonly AnchoredLiteral[],
  goOn: number,
  onLiteral: OnLiteral,
): number {
  let from = goOn;
  for (const { literal, offset, first, last } of candidates) {
    const start = at - offset;
    if (start < from || text.charCodeAt(start) !== first || text.charCodeAt(start + literal.length - 1) !== last)
      continue;
    if (text.startsWith(literal, start)) from = Math.max(from, onLiteral(start, literal));
  }
  return from;
}

/** Bit of the character at an index; beyond the text it matches no letter. */
const bitOf = (text: string, at: number): number => 1 << (text.charCodeAt(at) & 31);

/** End of the n-gram of a literal that is rarest in ordinary text, with one more character on each side. */
function rarestEnd(literal: string, neighbours: number): number {
  let best = neighbours - 1;
  let least = Infinity;
  for (let end = neighbours - 1; end < literal.length; end++) {
    const around = literal.slice(Math.max(0, end - neighbours), end + 2);
    const common = bigramFrequency(around) + maxBigramFrequency * (neighbours + 2 - around.length);
    if (common < least) [best, least] = [end, common];
  }
  return best;
}
