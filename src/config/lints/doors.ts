import { isLoopback } from '../checks.js';
import { dotted } from '../problem.js';
import { leaves, type Lint } from './finding.js';

/** Finds a listener that others can reach, without a token or with names that the Host check will refuse. */
export const exposedBind: Lint = ({ server, auth }) => {
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
  if (server.allowed_hosts.length > 0) return [];
  return [
    {
      rule: 'exposed-bind',
      severity: 'warning',
      path: 'server.allowed_hosts',
      message: `is empty while server.host is ${server.host}`,
      hint: 'Name the hosts that callers will use; others are refused',
    },
  ];
};

/** Finds `${NAME}` where nothing is filled in, so that it would be sent or used as it stands. */
export const strayReferences: Lint = (config) =>
  [...leaves(config)].flatMap(({ path, value }) =>
    typeof value === 'string' && /\$\{[A-Za-z_][A-Za-z0-9_]*\}/.test(value)
      ? [
          {
            rule: 'stray-reference',
            severity: 'warning' as const,
            path: dotted(path),
            message: 'holds ${…}, which is plain text in this key',
            hint: 'References work only in keys of type secret',
          },
        ]
      : [],
  );
