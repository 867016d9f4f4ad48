import type { Identity } from '../../core/gateway.js';
import type { Principal } from '../../core/principal.js';
import { isAdmin } from '../../core/principal.js';
import { sendJson } from './edge/respond.js';
import type { Route } from './edge/route.js';

/** The caller as the gateway sees it, and what it may do besides calling tools. */
export const meRoute = (identity: Identity, mayAnswer: (principal: Principal) => boolean): Route => ({
  method: 'GET',
  path: '/me',
  auth: 'principal',
  doc: {
    summary: 'The principal of this credential: id, roles, profile, and whether it may approve and administer',
    responses: { 200: { description: 'The principal' } },
  },
  handle: ({ res, principal }) =>
    sendJson(res, 200, {
      id: principal.id,
      kind: principal.kind,
      roles: principal.roles,
      ...(principal.profile !== undefined && { profile: principal.profile }),
      // The console shows or hides its pages by these two; the routes check again.
      may: { approve: mayAnswer(principal), admin: isAdmin(principal) },
      gateway: { name: identity.title, version: identity.version },
    }),
});
