import type { CommandDefinition } from '../definition.js';
import { ping } from './ping.js';

/** The commands that come with Toolgate. */
export function builtins(): readonly CommandDefinition[] {
  return [ping];
}
