import { isLoopback } from '../../lib/loopback.js';
import { dotted } from '../problem.js';
import { leaves, type Lint } from './lint.js';

/** Finds a listener reachable from other machines without a token, or without allowed host names (DNS rebinding check). */
export const exposedBind: Lint = ({ server, auth }) => {
  // On loopback other machines cannot connect, so neither finding applies.
  if (isLoopback(server.host)) return [];
  if (!auth.required) {
    return [
      {
        rule: 'exposed-bind',
        severity: 'error',
        path: 'auth.required',
        message: `is false while server.host is ${server.host}`,
        hint: 'Listen on 127.0.0.1 or require a token',
      },
    ];
  }
  // Without host names the check against DNS rebinding rejects every request that uses a name of this machine.
  if (server.allowed_hosts.length > 0) return [];
  return [
    {
      rule: 'exposed-bind',
      severity: 'warning',
      path: 'server.allowed_hosts',
      message: `is empty while server.host is ${server.host}`,
      hint: 'List the host names that clients use; others are rejected',
    },
  ];
};

/** Finds `${NAME}` in keys where references are not expanded. */
export const strayReferences: Lint = (config) =>
  [...leaves(config)].flatMap(({ path, value }) =>
    typeof value === 'string' && /\$\{[A-Za-z_][A-Za-z0-9_]*\}/.test(value)
      ? [
          {
            rule: 'stray-reference',
            severity: 'warning' as const,
            path: dotted(path),
            message: 'contains ${…}, which is not expanded in this key',
            hint: 'References are expanded only in keys of type secret',
          },
        ]
      : [],
  );
