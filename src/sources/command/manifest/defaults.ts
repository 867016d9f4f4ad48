import type { Flag } from './flag.js';
import type { Manifest, ManifestInput } from './manifest.js';

/**
 * Applies manifest defaults without validation; only for the built-in pack, which a test validates against the schema.
 * Loading the schema library takes longer than the rest of the start, so it is loaded only for custom manifests.
 */
export function fillManifestDefaults(given: ManifestInput): Manifest {
  const { target, flags, sandbox = {}, effects = {}, ranges = {}, limits = {}, ...rest } = given;
  return {
    version: '1.0.0',
    tool: true,
    before: [],
    always: [],
    end_of_flags: false,
    templates: {},
    extra_args: false,
    parser: 'none',
    tasks: 'optional',
    environment: {},
    ...rest,
    limits,
    ranges,
    target: { policy: 'default', takes_addresses: false, ...target },
    flags: Object.fromEntries(Object.entries(flags).map(([name, flag]) => [name, fillFlagDefaults(flag)])),
    effects: { reads: true, writes: false, destroys: false, idempotent: true, labels: [], ...effects },
    sandbox: { minimum: 'prlimit', best: 'bwrap', new_privileges: false, readable: [], ...sandbox },
  } as Manifest; // the input type permits explicit `undefined`; the pack has none, which its test verifies
}

/** Defaults of one flag, equal to those of the schema. */
const fillFlagDefaults = ({ flag = [], ...rest }: ManifestInput['flags'][string]) =>
  ({
    flag: typeof flag === 'string' ? [flag] : flag,
    max_length: 128,
    max_items: 10,
    form: 'separate',
    repeatable: false,
    required: false,
    default_unless: [],
    excludes: [],
    needs: [],
    ...rest,
  }) as Flag; // as above
