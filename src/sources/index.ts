import { commands } from './command/section.js';
import { prompts } from './gateway-prompts.js';
import { functions } from './http/functions-section.js';
import { http } from './http/kind.js';
import type { SectionSource, SourceKind } from './kind.js';
import { mcp } from './mcp/kind.js';
import { openapi } from './openapi/kind.js';

/** Kinds of `sources` entries; a new kind is one line here. */
export const sourceKinds: readonly SourceKind[] = [http, openapi, mcp];

/** Sources with a section of their own. */
export const sectionSources: readonly SectionSource[] = [commands, functions, prompts];
