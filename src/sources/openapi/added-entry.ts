import type { JsonObject } from '../../core/json.js';

/** Entry of a document given on the command line: a path or a URL. */
export const documentEntry = (document: string): JsonObject => ({ kind: 'openapi', document });
