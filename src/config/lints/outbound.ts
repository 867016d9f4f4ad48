import { sourceKinds } from '../../sources/index.js';
import { isSelfDescribed } from '../../sources/kind.js';
import { dotted } from '../problem.js';
import type { Config } from '../schema.js';
import { outboundLeaves, type Lint } from './lint.js';

/** Longer calls block an assistant for no good reason. */
const maxCallSeconds = 60;
/** A hundred mebibytes: more than a model could ever read. */
const maxResponseBytes = 104_857_600;

/** Finds domain lists that allow any host. */
export const openDomains: Lint = (config) =>
  [...outboundLeaves(config)].flatMap(({ path, value }) =>
    // `*`, `*.` and `*.*` all match every host.
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

/** Finds timeouts so long that a hanging call blocks the assistant and a concurrency slot. */
export const slowCalls: Lint = (config) =>
  [...outboundLeaves(config)].flatMap(({ path, value }) =>
    !isUpstreamServer(config, path) &&
    /^timeout(_sec(onds)?)?$/.test(path.at(-1) ?? '') &&
    typeof value === 'number' &&
    value > maxCallSeconds
      ? [
          {
            rule: 'slow-calls',
            severity: 'warning' as const,
            path: dotted(path),
            message: `lets an HTTP call take ${value} seconds`,
            hint: '10 to 30 seconds are enough for most services',
          },
        ]
      : [],
  );

/** A server that describes its own tools reports progress and may work for minutes; its default is longer than a web service needs. */
const isUpstreamServer = ({ sources }: Config, [section, id = '']: readonly string[]): boolean =>
  section === 'sources' && isSelfDescribed(id, sources, sourceKinds);

/** Finds response limits so large that one call could exhaust memory. */
export const largeResponses: Lint = (config) =>
  [...outboundLeaves(config)].flatMap(({ path, value }) =>
    path.at(-1) === 'max_response_bytes' && typeof value === 'number' && value > maxResponseBytes
      ? [
          {
            rule: 'large-responses',
            severity: 'warning' as const,
            path: dotted(path),
            message: `allows responses of ${value} bytes`,
            hint: '10485760 (10 MiB) is the default',
          },
        ]
      : [],
  );

/** Finds URLs whose host comes from an argument: prompt injection could choose the target (SSRF). */
export const callerChosenHosts: Lint = (config) =>
  [...outboundLeaves(config)].flatMap(({ path, value }) =>
    /^(base_)?url$/.test(path.at(-1) ?? '') &&
    typeof value === 'string' &&
    // A placeholder before the first slash decides the host; one behind it only the path.
    /^(?:[a-z][a-z0-9+.-]*:\/\/)?[^/?#]*(?<!\$)\{/i.test(value)
      ? [
          {
            rule: 'chosen-hosts',
            severity: 'error' as const,
            path: dotted(path),
            message: 'takes its host from an argument',
            hint: 'Use a fixed host and take only path or query from arguments',
          },
        ]
      : [],
  );
