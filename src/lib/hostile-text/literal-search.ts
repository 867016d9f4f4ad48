/** Hears of each place where at least one literal stands, with the literals that do, longest first; returns where to go on. */
export type OnLiteral = (at: number, literals: readonly string[]) => number;

const SLOTS = 0x10000;

/**
 * A search for many literals of three characters or more in one pass: a table tells for any three neighbours whether a
 * literal may begin with them, so that honest text is read at the speed of the loop however many literals there are.
 */
export function literalSearch(literals: readonly string[]): (text: string, onLiteral: OnLiteral) => void {
  const bySlot: (readonly string[] | undefined)[] = Array.from({ length: SLOTS });
  for (const literal of [...new Set(literals)].sort((a, b) => b.length - a.length)) {
    if (literal.length < 3) throw new Error(`a literal needs three characters: ${literal}`);
    const slot = slotOf(literal);
    bySlot[slot] = [...(bySlot[slot] ?? []), literal];
  }
  const slots = new Uint8Array(SLOTS);
  bySlot.forEach((some, slot) => (slots[slot] = some ? 1 : 0));

  return (text, onLiteral) => {
    let slot = 0;
    for (let at = 0; at < text.length; at++) {
      // Six bits a character in sixteen bits: the fourth character back is shifted out.
      slot = ((slot << 6) ^ text.charCodeAt(at)) & (SLOTS - 1);
      if (slots[slot] === 0) continue;
      const start = at - 2;
      const candidates = bySlot[slot] ?? [];
      let some = false;
      for (const literal of candidates) some ||= text.startsWith(literal, start);
      if (!some) continue;
      const next = onLiteral(start, candidates.filter((literal) => text.startsWith(literal, start)));
      if (next > at + 1) {
        at = next - 1;
        slot = 0;
      }
    }
  };
}

function slotOf(literal: string): number {
  let slot = 0;
  for (let at = 0; at < 3; at++) slot = ((slot << 6) ^ literal.charCodeAt(at)) & (SLOTS - 1);
  return slot;
}
