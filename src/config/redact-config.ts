import type { JsonObject } from '../core/json.js';
import { toolDefaults } from './defaults.js';
import type { Config } from './schema.js';
import { looksLikeLiteralSecret } from '../hostile-text/literal-secret.js';

/** The printable configuration: secrets are replaced by their references, and literal secrets are redacted. */
export const redactConfig = (config: object): JsonObject =>
  // A serialised object parses to a JSON object.
  JSON.parse(
    JSON.stringify(config, (key, value: unknown) =>
      typeof value === 'string' && looksLikeLiteralSecret(key, value) !== undefined ? '[redacted]' : value,
    ),
  ) as JsonObject;

/** The active configuration for display, with the limits that hold where the operator has set none. */
export const effectiveConfig = (config: Config): JsonObject =>
  redactConfig({ ...config, tool: { ...toolDefaults, ...config.tool } });
