/** Hears of a literal and where it stands; returns where to go on: literals that begin before that place are passed over. */
export type OnLiteral = (at: number, literal: string) => number;

interface Anchored {
  readonly literal: string;
  /** How far into the literal the last of its rarest neighbours stands. */
  readonly offset: number;
}

/**
 * A search for many literals of three characters or more in one pass: a table tells for any three or four neighbours whether
 * they are the rarest of some literal, so that honest text is read at the speed of the loop however many literals there are.
 */
export function literalSearch(literals: readonly string[]): (text: string, onLiteral: OnLiteral) => void {
  const shortest = Math.min(...literals.map((literal) => literal.length));
  if (shortest < 3) throw new Error('a literal needs three characters');
  const neighbours = Math.min(4, shortest);
  // Five bits a neighbour: lower-case letters differ in them, and the character before the neighbours is shifted out.
  const mask = (1 << (5 * neighbours)) - 1;
  const slotOf = (literal: string, end: number): number => {
    let slot = 0;
    for (let at = end - neighbours + 1; at <= end; at++) slot = ((slot << 5) ^ literal.charCodeAt(at)) & mask;
    return slot;
  };
  const bySlot = new Map<number, readonly Anchored[]>();
  for (const literal of [...new Set(literals)].sort((a, b) => b.length - a.length)) {
    const offset = rarestEnd(literal, neighbours);
    const slot = slotOf(literal, offset);
    bySlot.set(slot, [...(bySlot.get(slot) ?? []), { literal, offset }]);
  }
  const taken = new Uint8Array((mask >> 3) + 1);
  for (const slot of bySlot.keys()) taken[slot >> 3] = (taken[slot >> 3] ?? 0) | (1 << (slot & 7));

  return (text, onLiteral) => {
    let slot = 0;
    let from = 0;
    const length = text.length;
    for (let at = 0; at < length; at++) {
      slot = ((slot << 5) ^ text.charCodeAt(at)) & mask;
      if (((taken[slot >> 3] ?? 0) & (1 << (slot & 7))) === 0) continue;
      const candidates = bySlot.get(slot) ?? [];
      for (let index = 0; index < candidates.length; index++) {
        const candidate = candidates[index];
        if (!candidate) continue;
        const start = at - candidate.offset;
        if (start >= from && text.startsWith(candidate.literal, start)) from = Math.max(from, onLiteral(start, candidate.literal));
      }
    }
  };
}

/** Letters from the commonest to the rarest in honest text; whatever is not listed is rarer still. */
const COMMON = ' etaoinsrhdlcumpfgybwvk.,-_/';

function rarestEnd(literal: string, neighbours: number): number {
  let best = neighbours - 1;
  let bestRarity = -1;
  for (let end = neighbours - 1; end < literal.length; end++) {
    let rarity = 0;
    for (let at = end - neighbours + 1; at <= end; at++) rarity += rarityOf(literal, at);
    if (rarity > bestRarity) [best, bestRarity] = [end, rarity];
  }
  return best;
}

function rarityOf(literal: string, at: number): number {
  const rank = COMMON.indexOf(literal.charAt(at));
  return rank < 0 ? COMMON.length + 6 : rank;
}
