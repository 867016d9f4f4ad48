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

/**
 * A search for many literals of three characters or more in one pass: a table tells for any three or four neighbours whether
 * they are the rarest of some literal, so that honest text is read at the speed of the loop however many literals there are.
 */
export function literalSearch(literals: readonly string[]): LiteralSearch {
  const shortest = Math.min(...literals.map((literal) => literal.length));
  if (shortest < 3) throw new Error('a literal needs three characters');
  // Made with the first text: a gateway that starts has none to search, and somebody waits for it.
  let search: LiteralSearch | undefined;
  return (text, onLiteral) => (search ??= prepared(literals, shortest))(text, onLiteral);
}

function prepared(literals: readonly string[], shortest: number): LiteralSearch {
  const neighbours = Math.min(4, shortest);
  // Five bits a neighbour: lower-case letters differ in them, and the character before the neighbours is shifted out.
  const mask = (1 << (5 * neighbours)) - 1;
  const slotOf = (literal: string, end: number): number => {
    let slot = 0;
    for (let at = end - neighbours + 1; at <= end; at++) slot = ((slot << 5) ^ (literal.charCodeAt(at) & 0xff)) & mask;
    return slot;
  };
  const shared = new Map<string, number>();
  for (const literal of new Set(literals))
    for (const group of groupsOf(literal, neighbours)) shared.set(group, (shared.get(group) ?? 0) + 1);
  const bySlot = new Map<number, readonly Anchored[]>();
  for (const literal of [...new Set(literals)].sort((a, b) => b.length - a.length)) {
    const offset = rarestEnd(literal, neighbours, shared);
    const slot = slotOf(literal, offset);
    bySlot.set(slot, [
      ...(bySlot.get(slot) ?? []),
      { literal, offset, first: literal.charCodeAt(0), last: literal.charCodeAt(literal.length - 1) },
    ]);
  }
  // By a hash of the slot: this way the table stays in the nearest cache, also when other work comes between.
  const taken = new Int32Array(1 << (tableBits - 5));
  for (const slot of bySlot.keys()) {
    const bit = hashed(slot);
    taken[bit >> 5] = (taken[bit >> 5] ?? 0) | (1 << (bit & 31));
  }

  return (text, onLiteral) => {
    const room = (rooms[depth] ??= Buffer.alloc(pieceLength));
    depth += 1;
    try {
      let slot = 0;
      let from = 0;
      for (let start = 0; start < text.length; start += pieceLength) {
        const length = room.write(text.length <= pieceLength ? text : text.slice(start, start + pieceLength), 'latin1');
        for (let index = 0; index < length; index++) {
          slot = ((slot << 5) ^ (room[index] ?? 0)) & mask;
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

// A string is asked for each character in turn, bytes are not: the lower half of every character is read from here, a piece at a
// time, and what it finds is held against the text. Who hears of a literal may search again, so there is a room for each depth.
const pieceLength = 16_384;
const rooms: Buffer[] = [];
let depth = 0;

const tableBits = 15;
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

/** Letters from the commonest to the rarest in honest text; whatever is not listed is rarer still. */
const COMMON = ' etaoinsrhdlcumpfgybwvk.,-_/';

/** Neighbours that many literals have are common in honest text too, and lead to many comparisons. */
function rarestEnd(literal: string, neighbours: number, shared: ReadonlyMap<string, number>): number {
  let best = neighbours - 1;
  let bestRarity = -Infinity;
  groupsOf(literal, neighbours).forEach((group, at) => {
    const rarity = [...group].reduce((sum, _, index) => sum + rarityOf(group, index), 0) - 2 * (shared.get(group) ?? 0);
    if (rarity > bestRarity) [best, bestRarity] = [at + neighbours - 1, rarity];
  });
  return best;
}

const groupsOf = (literal: string, neighbours: number): string[] =>
  Array.from({ length: literal.length - neighbours + 1 }, (_, at) => literal.slice(at, at + neighbours));

function rarityOf(literal: string, at: number): number {
  const rank = COMMON.indexOf(literal.charAt(at));
  return rank < 0 ? COMMON.length + 6 : rank;
}
