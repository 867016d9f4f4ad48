import type { Flag } from './flag.js';
import type { Manifest, ManifestInput } from './manifest.js';

/**
 * A manifest with its defaults filled in, unchecked: for the built-in pack, whose manifests a test holds against the schema.
 * The schema library costs more than the rest of a start, and a gateway without manifests of its own needs none of it.
 */
export function filledIn(given: ManifestInput): Manifest {
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
    flags: Object.fromEntries(Object.entries(flags).map(([name, flag]) => [name, filledFlag(flag)])),
    effects: { reads: true, writes: false, destroys: false, idempotent: true, labels: [], ...effects },
    sandbox: { minimum: 'prlimit', best: 'bwrap', new_privileges: false, readable: [], ...sandbox },
  } as Manifest; // the input may spell out `undefined`; the pack does not, and its test would show
}

const filledFlag = ({ flag = [], ...rest }: ManifestInput['flags'][string]) =>
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
  }) as Flag; // likewise
