import type { JsonObject } from '../../../core/json.js';
import type { Manifest } from '../manifest/manifest.js';
import { toFlagSchema } from './flag-values.js';

/** Descriptions by kind of target, for manifests that give none. */
const targetDescriptions = {
  host: 'An IP address or a host name',
  cidr: 'An IP address, a host name, or a network such as 10.0.0.0/24',
  url: 'An http or https URL',
  domain: 'A domain name',
  none: '',
} as const;

/** Maximum target length by kind. */
export const maxTargetLength = (kind: Manifest['target']['kind']): number => (kind === 'url' ? 2048 : 255);

/** Input schema shown to the model: the target, one typed property per flag, and the arguments common to all commands. */
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
          description: target.description ?? targetDescriptions[target.kind],
        },
      }),
      ...Object.fromEntries(Object.entries(flags).map(([name, flag]) => [name, toFlagSchema(flag)])),
      ...(templates.length > 0 && {
        template: {
          type: 'string',
          enum: templates,
          description: 'A preset of flags; explicitly given flags take precedence',
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
        description: 'Seconds before the program is stopped',
      },
      correlation_id: {
        type: 'string',
        pattern: '^[A-Za-z0-9._:-]{1,64}$',
        description: 'Returned with the result and included in every log line',
      },
      dry_run: { type: 'boolean', default: false, description: 'Shows what would run without starting it' },
    },
    required: [...(hasTarget ? ['target'] : []), ...required],
    // Unknown arguments are errors: a misspelt flag must not be ignored silently.
    additionalProperties: false,
  };
}
