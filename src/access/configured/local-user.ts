import type { Config } from '../../config/schema.js';
import type { Principal } from '../../core/principal.js';

/** Principal of stdio and CLI callers: the user who owns this process. */
export const localUser = ({ access }: Config): Principal => ({
  id: 'local',
  name: 'local user',
  kind: 'local',
  roles: ['admin'],
  ...(access.local_profile !== undefined && { profile: access.local_profile }),
});
