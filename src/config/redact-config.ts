import type { JsonObject } from '../core/json.js';
import { looksLikeLiteralSecret } from '../hostile-text/literal-secret.js';

/** The printable configuration: secrets are replaced by their references, and literal secrets are redacted. */
export const redactConfig = (config: object): JsonObject =>
  // A serialised object parses to a JSON object.
  JSON.parse(
    JSON.stringify(config, (key, value: unknown) =>
      typeof value === 'string' && looksLikeLiteralSecret(key, value) !== undefined ? '[redacted]' : value,
    ),
  ) as JsonObject;
