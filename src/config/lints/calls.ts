import { dotted } from '../problem.js';
import { callingLeaves, type Lint } from './finding.js';

const MAX_SECONDS = 60;
const MAX_BYTES = 104_857_600;

/** Finds lists of domains that let a function call any host. */
export const openDomains: Lint = (config) =>
  [...callingLeaves(config)].flatMap(({ path, value }) =>
    path.includes('allowed_domains') && typeof value === 'string' && /^\*?\.?\*?$/.test(value)
      ? [
          {
            rule: 'open-domains',
            severity: 'error' as const,
            path: dotted(path),
            message: 'lets a function call any host',
            hint: 'Name the domains',
          },
        ]
      : [],
  );

/** Finds calls that may hang so long that the assistant, and the slot, wait for nothing. */
export const slowCalls: Lint = (config) =>
  [...callingLeaves(config)].flatMap(({ path, value }) =>
    /^timeout(_sec(onds)?)?$/.test(path.at(-1) ?? '') && typeof value === 'number' && value > MAX_SECONDS
      ? [
          {
            rule: 'slow-calls',
            severity: 'warning' as const,
            path: dotted(path),
            message: `lets an HTTP call take ${value} seconds`,
            hint: '10 to 30 seconds serve most services',
          },
        ]
      : [],
  );

/** Finds answers so large that one call could fill the memory of the gateway. */
export const largeResponses: Lint = (config) =>
  [...callingLeaves(config)].flatMap(({ path, value }) =>
    path.at(-1) === 'max_response_bytes' && typeof value === 'number' && value > MAX_BYTES
      ? [
          {
            rule: 'large-responses',
            severity: 'warning' as const,
            path: dotted(path),
            message: `lets one answer be ${value} bytes`,
            hint: '10485760 (10 MiB) is the default',
          },
        ]
      : [],
  );

/** Finds addresses whose host a caller could choose: such a function reaches whatever the model is talked into. */
export const chosenHosts: Lint = (config) =>
  [...callingLeaves(config)].flatMap(({ path, value }) =>
    /^(base_)?url$/.test(path.at(-1) ?? '') &&
    typeof value === 'string' &&
    /^(?:[a-z][a-z0-9+.-]*:\/\/)?[^/?#]*(?<!\$)\{/i.test(value)
      ? [
          {
            rule: 'chosen-hosts',
            severity: 'error' as const,
            path: dotted(path),
            message: 'takes its host from an argument',
            hint: 'Write the host out and take only path or query from arguments',
          },
        ]
      : [],
  );
