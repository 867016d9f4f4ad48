import { commonness, mostCommon } from './neighbours.js';

/** Hears of a literal and where it stands; returns where to go on: literals that begin before that place are passed over. */
export type OnLiteral = (at: number, literal: string) => number;

/** Tells of every literal in a text. */
export type LiteralSearch = (text: string, onLiteral: OnLiteral) => void;

interface Anchored {
  readonly literal: string;
  /** How far into the literal the last of its rarest neighbours stands. */
  readonly offset: number;
  /** Where it begins and ends: most candidates differ in one of the two, which costs less to see than to compare the whole. */
  readonly first: number;
  readonly last: number;
}

interface Tables {
  /** One byte for the hash of every slot: 1 where it is taken. Bits would be an eighth of it, and take twice the time to ask. */
  readonly taken: Uint8Array;
  /** For a hash that is taken, which of the lists holds its literals. */
  readonly listOf: Uint16Array;
  /** For each list, one bit for every character that may stand before its neighbours, and behind them. */
  readonly before: Int32Array;
  readonly behind: Int32Array;
  readonly lists: readonly (readonly Anchored[])[];
}

/**
 * A search for many literals of two characters or more in one pass: a table tells for any few neighbours whether they are the
 * rarest of some literal, so that honest text is read at the speed of the loop however many literals there are.
 */
export function literalSearch(literals: readonly string[]): LiteralSearch {
  const neighbours = Math.min(4, ...literals.map((literal) => literal.length));
  if (neighbours < 2) throw new Error('a literal needs two characters');
  // Five bits a neighbour: lower-case letters differ in them, and the character before the neighbours is shifted out.
  const bits = neighbours < 3 ? 8 : 5;
  const mask = (1 << (bits * neighbours)) - 1;
  // Made with the first text: a gateway that starts has none to search, and somebody waits for it. The search itself asks for them,
  // since a function around it would keep it from being compiled into its callers.
  let tables: Tables | undefined;

  return (text, onLiteral) => {
    tables ??= tablesOf(literals, neighbours, bits, mask);
    const { taken, listOf, before, behind, lists } = tables;
    const room = (rooms[depth] ??= Buffer.alloc(pieceLength));
    depth += 1;
    try {
      let slot = 0;
      let from = 0;
      for (let start = 0; start < text.length; start += pieceLength) {
        const length = room.write(text.length <= pieceLength ? text : text.slice(start, start + pieceLength), 'latin1');
        for (let index = 0; ; index++) {
          index = nextTaken(room, index, length, taken, bits, mask, slot);
          slot = slotThere;
          if (index === length) break;
          const list = listOf[hashed(slot)] ?? 0;
          const at = start + index;
          // Most neighbours that are taken stand in other words: one look at each side spares the comparing.
          if (((before[list] ?? 0) & bitOf(text, at - neighbours)) === 0) continue;
          if (((behind[list] ?? 0) & bitOf(text, at + 1)) === 0) continue;
          from = compared(text, at, lists[list] ?? [], from, onLiteral);
        }
      }
    } finally {
      depth -= 1;
    }
  };
}

let slotThere = 0;

/**
 * The next place whose neighbours are taken, or the end; `slotThere` is their slot. Short and alone, it is compiled as well for
 * many searches as for one.
 */
function nextTaken(
  room: Uint8Array,
  from: number,
  length: number,
  taken: Uint8Array,
  bits: number,
  mask: number,
  before: number,
): number {
  let slot = before;
  for (let index = from; index < length; index++) {
    slot = ((slot << bits) ^ (room[index] ?? 0)) & mask;
    if (taken[hashed(slot)] === 0) continue;
    slotThere = slot;
    return index;
  }
  slotThere = slot;
  return length;
}

function tablesOf(literals: readonly string[], neighbours: number, bits: number, mask: number): Tables {
  const slotOf = (literal: string, end: number): number => {
    let slot = 0;
    for (let at = end - neighbours + 1; at <= end; at++)
      slot = ((slot << bits) ^ (literal.charCodeAt(at) & 0xff)) & mask;
    return slot;
  };
  // By a hash of the slot: this way the tables stay in a near cache, also when other work comes between.
  const taken = new Uint8Array(1 << tableBits);
  const listOf = new Uint16Array(1 << tableBits);
  const lists: Anchored[][] = [];
  const before: number[] = [];
  const behind: number[] = [];
  for (const literal of [...new Set(literals)].sort((a, b) => b.length - a.length)) {
    const offset = rarestEnd(literal, neighbours);
    const place = hashed(slotOf(literal, offset));
    if (taken[place] === 0) {
      taken[place] = 1;
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
  return { taken, listOf, before: Int32Array.from(before), behind: Int32Array.from(behind), lists };
}

// A string is asked for each character in turn, bytes are not: the lower half of every character is read from here, a piece at a
// time, and what it finds is held against the text. Who hears of a literal may search again, so there is a room for each depth.
const pieceLength = 16_384;
const rooms: Buffer[] = [];
let depth = 0;

const tableBits = 16;
const hashed = (slot: number): number => Math.imul(slot, 0x9e3779b1) >>> (32 - tableBits);

/** Tells of the candidates that stand where their neighbours end; returns where to go on. */
function compared(
  text: string,
  at: number,
  candidates: readonly Anchored[],
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

/** The bit of the character at a place; beyond the text it is that of no letter. */
const bitOf = (text: string, at: number): number => 1 << (text.charCodeAt(at) & 31);

/** Where those neighbours of a literal end that honest text has the least of, with one more on each side. */
function rarestEnd(literal: string, neighbours: number): number {
  let best = neighbours - 1;
  let least = Infinity;
  for (let end = neighbours - 1; end < literal.length; end++) {
    const around = literal.slice(Math.max(0, end - neighbours), end + 2);
    const common = commonness(around) + mostCommon * (neighbours + 2 - around.length);
    if (common < least) [best, least] = [end, common];
  }
  return best;
}
