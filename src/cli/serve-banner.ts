import { escapeInvisible } from '../lib/text/escape-invisible.js';
import type { Serving } from '../serve.js';
import { countOf } from './sources/evidence.js';

/** Reasons that are shown at the start; the others are counted. */
const maxReasons = 3;

/** What a person sees who starts the gateway over HTTP. */
export function serveBanner({ gate, url, tokenFile, home }: Serving, notes: readonly string[]): string {
  const statuses = gate.gateway.statuses({
    // The banner counts for an administrator: it must also show tools that a profile hides from others.
    principal: { id: 'local', name: 'local', kind: 'local', roles: ['admin'] },
  });
  const ready = statuses.filter(({ tool, enabled }) => tool.unavailable === undefined && enabled);
  const missing = statuses.filter(({ tool }) => tool.unavailable !== undefined);
  const starting = Object.entries(gate.registry.health()).filter(([, { phase }]) => phase !== undefined);
  // A source that still starts is listed as such, not as withheld.
  const withheld = gate.gateway.withheld().filter(({ what }) => !starting.some(([id]) => id === what));
  // `ping` is the example because it needs no arguments that depend on the machine.
  const first = ready.find(({ tool }) => tool.name === 'ping') ?? ready[0];
  const lines = [
    `Toolgate listens on ${url}`,
    `  token      ${tokenFile}`,
    `  audit      ${home.audit}`,
    `  ready      ${countOf(ready.length, 'tool')} of ${countOf(new Set(ready.map(({ tool }) => tool.source)).size, 'source')}; toolgate tools lists them`,
    ...(missing.length === 0
      ? []
      : [
          `  not ready  ${countOf(missing.length, 'tool')}, such as ${missing[0]?.tool.name ?? ''}; toolgate tools shows why`,
        ]),
    ...starting.map(([id, { detail = '' }]) => `  starting   ${id}: ${escapeInvisible(detail)}`),
    ...withheld
      .slice(0, maxReasons)
      .map(({ what, why }) => `  withheld   ${escapeInvisible(what)}: ${escapeInvisible(why)}`),
    ...(withheld.length <= maxReasons
      ? []
      : [`  withheld   ${countOf(withheld.length - maxReasons, 'more definition')}; toolgate sources list shows why`]),
    ...notes.map((note) => `  note       ${note}`),
    '',
    ...(first === undefined
      ? []
      : [
          'Try it:',
          `  curl -s -H "Authorization: Bearer $(cat ${tokenFile})" -H 'Content-Type: application/json' \\`,
          `    -d '{"target":"127.0.0.1"}' ${url}/tools/${first.tool.name}/execute`,
          '',
          `MCP clients connect to ${url}${gate.config().server.mcp_path} with the same header.`,
        ]),
    '',
  ];
  return `${lines.join('\n')}\n`;
}
