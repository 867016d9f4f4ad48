import type { JsonObject } from '../../core/json.js';
import type { Manifest } from './manifest.js';
import { schemaOf } from './values.js';

const targets = {
  host: 'An IP address or a host name',
  cidr: 'An IP address, a host name, or a network such as 10.0.0.0/24',
  url: 'An http or https URL',
  domain: 'A domain name',
  none: '',
} as const;

/** The longest target of each kind. */
export const maxTargetLength = (kind: Manifest['target']['kind']): number => (kind === 'url' ? 2048 : 255);

/** What the model is shown: one typed property per flag, the target, and the few arguments every command has. */
export function inputSchema(manifest: Manifest, maxArgsLength: number, maxTimeoutSec: number): JsonObject {
  const { target, flags } = manifest;
  const hasTarget = target.kind !== 'none';
  const templates = Object.keys(manifest.templates);
  const required = Object.entries(flags)
    .filter(([, flag]) => flag.required)
    .map(([name]) => name);
  return {
    type: 'object',
    properties: {
      ...(hasTarget && {
        target: {
          type: 'string',
          minLength: 1,
          maxLength: maxTargetLength(target.kind),
          description: target.description ?? targets[target.kind],
        },
      }),
      ...Object.fromEntries(Object.entries(flags).map(([name, flag]) => [name, schemaOf(flag)])),
      ...(templates.length > 0 && {
        template: {
          type: 'string',
          enum: templates,
          description: 'A set of flags to start from; flags given beside it win',
        },
      }),
      ...(manifest.extra_args && {
        extra_args: {
          type: 'string',
          maxLength: maxArgsLength,
          default: '',
          description: 'The same flags in command-line form; prefer the typed properties',
        },
      }),
      timeout_sec: {
        type: 'number',
        minimum: 0.1,
        maximum: maxTimeoutSec,
        description: 'Seconds until the program is ended',
      },
      correlation_id: {
        type: 'string',
        pattern: '^[A-Za-z0-9._:-]{1,64}$',
        description: 'Comes back with the result and stands in every log line',
      },
      dry_run: { type: 'boolean', default: false, description: 'Shows what would be executed and starts nothing' },
    },
    required: [...(hasTarget ? ['target'] : []), ...required],
    additionalProperties: false,
  };
}
