import type { JsonObject } from '../../../core/json.js';
import type { CommandDefinition } from '../definition.js';
import { ping } from './ping.js';

/** The commands that come with Toolgate. */
export function builtins(_: { onEvent(event: string, fields: JsonObject): void }): readonly CommandDefinition[] {
  return [ping];
}
