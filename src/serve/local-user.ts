import type { Config } from '../config/schema.js';
import type { Principal } from '../core/principal.js';

/** Who sits at this machine and owns this process: over a pipe, or with the command line. */
export const localUser = ({ access }: Config): Principal => ({
  id: 'local',
  name: 'local user',
  kind: 'local',
  roles: ['admin'],
  ...(access.local_profile !== undefined && { profile: access.local_profile }),
});
