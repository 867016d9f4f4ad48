import { commonness } from './neighbours.js';

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
  /** One bit for the hash of every slot that is taken. */
  readonly taken: Int32Array;
  readonly bySlot: ReadonlyMap<number, readonly Anchored[]>;
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
    const { taken, bySlot } = tables;
    const room = (rooms[depth] ??= Buffer.alloc(pieceLength));
    depth += 1;
    try {
      let slot = 0;
      let from = 0;
      for (let start = 0; start < text.length; start += pieceLength) {
        const length = room.write(text.length <= pieceLength ? text : text.slice(start, start + pieceLength), 'latin1');
        for (let index = 0; index < length; index++) {
          slot = ((slot << bits) ^ (room[index] ?? 0)) & mask;
          const bit = hashed(slot);
          if (((taken[bit >> 5] ?? 0) & (1 << (bit & 31))) === 0) continue;
          const candidates = bySlot.get(slot);
          if (candidates !== undefined) from = compared(text, start + index, candidates, from, onLiteral);
        }
      }
    } finally {
      depth -= 1;
    }
  };
}

function tablesOf(literals: readonly string[], neighbours: number, bits: number, mask: number): Tables {
  const slotOf = (literal: string, end: number): number => {
    let slot = 0;
    for (let at = end - neighbours + 1; at <= end; at++)
      slot = ((slot << bits) ^ (literal.charCodeAt(at) & 0xff)) & mask;
    return slot;
  };
  const bySlot = new Map<number, Anchored[]>();
  for (const literal of [...new Set(literals)].sort((a, b) => b.length - a.length)) {
    const offset = rarestEnd(literal, neighbours);
    const slot = slotOf(literal, offset);
    const anchored = { literal, offset, first: literal.charCodeAt(0), last: literal.charCodeAt(literal.length - 1) };
    const others = bySlot.get(slot);
    if (others) others.push(anchored);
    else bySlot.set(slot, [anchored]);
  }
  // By a hash of the slot: this way the table stays in the nearest cache, also when other work comes between.
  const taken = new Int32Array(1 << (tableBits - 5));
  for (const slot of bySlot.keys()) {
    const bit = hashed(slot);
    taken[bit >> 5] = (taken[bit >> 5] ?? 0) | (1 << (bit & 31));
  }
  return { taken, bySlot };
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

/** Where those neighbours of a literal end that honest text has the least of. */
function rarestEnd(literal: string, neighbours: number): number {
  let best = neighbours - 1;
  let least = Infinity;
  for (let end = neighbours - 1; end < literal.length; end++) {
    const common = commonness(literal.slice(end - neighbours + 1, end + 1));
    if (common < least) [best, least] = [end, common];
  }
  return best;
}
