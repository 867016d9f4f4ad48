import type { Config } from '../../config/schema.js';

/** Roles that something is about: the built-in ones, and those that the configuration names. */
export function knownRoles({ access, policy, auth }: Config): readonly string[] {
  const inRules = policy.rules.flatMap((rule) => rule.roles ?? []);
  const inLimits = access.limits.flatMap(({ roles }) => roles);
  const inCredentials = [
    ...auth.tokens.flatMap(({ roles }) => roles),
    ...auth.issuers.flatMap((issuer) => [...issuer.default_roles, ...Object.values(issuer.roles)]),
  ];
  return [
    ...new Set(['admin', 'approver', 'user', ...Object.keys(access.roles), ...inRules, ...inLimits, ...inCredentials]),
  ];
}
