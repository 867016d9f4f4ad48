import { modelOf } from './models.js';
import { effectNames } from './rows.js';

type Effect = (typeof effectNames)[number];

const effects: ReadonlySet<string> = new Set(effectNames);
const isEffect = (word: string | undefined): word is Effect => word !== undefined && effects.has(word);

/** Effect of a library function by its qualified name. */
export function effectOf(name: string): Effect | undefined {
  const effect = modelOf('effect', name)?.out;
  // A global function of such a name is no method of a database or socket.
  if (!isEffect(effect) || (effect === 'statement' && !name.includes('.'))) return undefined;
  return effect;
}

/** Whether calls of this name are recorded; reads only mark what they return. */
export function hasEffect(name: string): boolean {
  const effect = effectOf(name);
  return effect !== undefined && effect !== 'read' && effect !== 'list';
}
