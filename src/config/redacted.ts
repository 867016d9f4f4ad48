import type { JsonObject } from '../core/json.js';
import { looksLikeLiteralSecret } from '../hostile-text/literal-secret.js';

/** The configuration as it may be shown: every secret has turned into its references, and what looks like one is gone too. */
export const redacted = (config: object): JsonObject =>
  // What comes back from parsing the text of an object is a JSON object.
  JSON.parse(
    JSON.stringify(config, (key, value: unknown) =>
      typeof value === 'string' && looksLikeLiteralSecret(key, value) !== undefined ? '[redacted]' : value,
    ),
  ) as JsonObject;
