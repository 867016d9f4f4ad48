import { mcpRegistry } from '../../admission/configured-registry.js';
import type { Config } from '../../config/schema.js';
import { escapeInvisible } from '../../lib/text/escape-invisible.js';
import type { Io } from '../io.js';
import { reportProblems } from '../servers/sources-add.js';

/** Looks a server up in a registry by its name. */
export async function lookUpServer(name: string, url: string, config: Config, io: Io): Promise<number> {
  if (!URL.canParse(url)) return reportProblems(['--registry must be a URL'], io);
  const registry = mcpRegistry(
    config,
    url,
    // The policy of the configuration belongs to the configured registry only.
    url === config.mcp_registry?.url ? config.mcp_registry.network_policy : undefined,
  );
  if (!registry)
    return reportProblems(
      ['the registry must use https or run on this machine, and a network policy must allow it'],
      io,
    );
  const entry = await registry.lookup(name);
  await registry.close();
  if (io.json === true) io.out(`${JSON.stringify({ name, ...entry })}\n`);
  else
    io.out(
      `${escapeInvisible(name)}  ${entry.verdict}${entry.verdict === 'listed' ? `, ${escapeInvisible(entry.status)}, ${entry.versions.map(escapeInvisible).join(' ')}` : entry.verdict === 'unknown' ? `: ${escapeInvisible(entry.why)}` : ''}\n`,
    );
  return entry.verdict === 'listed' ? 0 : 1;
}
