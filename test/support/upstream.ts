import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { Call } from '../../src/core/call.js';
import type { Json, JsonObject } from '../../src/core/json.js';
import type { Outcome } from '../../src/core/outcome.js';
import { toReadableText } from '../../src/core/content.js';
import { defaultLimits } from '../../src/core/tool.js';
import { processes } from '../../src/processes/index.js';
import type { Processes } from '../../src/processes/index.js';
import { localChannel } from '../../src/sources/mcp/channels/local-channel.js';
import type { LocalChannelOptions } from '../../src/sources/mcp/channels/local-channel.js';
import { mcpSource } from '../../src/sources/mcp/source.js';
import type { McpSource, McpSourceOptions } from '../../src/sources/mcp/source.js';
import { aCall, never } from './make.js';

export const serverFile = join(dirname(fileURLToPath(import.meta.url)), 'upstream/server.mjs');

/** Processes of this test alone; all of them are gone when it ends. */
export function someProcesses(): Processes {
  const local = processes();
  onTestFinished(() => local.close());
  return local;
}

export interface PluginSetup {
  readonly args?: readonly string[];
  readonly plugin?: Partial<LocalChannelOptions>;
  readonly source?: Partial<McpSourceOptions>;
  readonly processes?: Processes;
}

/** The fixture server behind a source, as a configuration would make it. */
export function aPlugin({
  args = [],
  plugin,
  source,
  processes: local = someProcesses(),
}: PluginSetup = {}): McpSource & { readonly processes: Processes } {
  const made = mcpSource({
    id: 'fix',
    prefix: 'fix',
    remote: false,
    era: 'auto',
    clientInfo: { name: 'toolgate', version: '0' },
    limits: { limits: { ...defaultLimits, concurrency: 64, ratePerMinute: 0 } },
    sharing: 'principal',
    connectMs: 15_000,
    startupMs: 15_000,
    open: localChannel({
      id: 'fix',
      processes: local,
      tier: 'prlimit',
      network: 'host',
      limits: { openFiles: 256 },
      command: () => Promise.resolve({ program: process.execPath, args: [serverFile, ...args] }),
      env: () => ({ values: {}, secrets: [], missing: [] }),
      ...plugin,
    }),
    ...source,
  });
  onTestFinished(async () => void (await made.close?.()));
  return { ...made, processes: local };
}

/** Calls a tool of a source as the pipeline would. */
export async function callTool(
  source: McpSource,
  name: string,
  args: JsonObject = {},
  over: Partial<Call> = {},
): Promise<Outcome> {
  const tools = await source.list(never);
  const tool = tools.find((each) => each.name === name);
  if (!tool) throw new Error(`no tool ${name}`);
  return tool.run(aCall({ tool: name, args, timeoutMs: 15_000, ...over }));
}

/** What a done outcome says. */
export function said(outcome: Outcome): string {
  if (outcome.kind !== 'done') throw new Error(`not done: ${JSON.stringify(outcome)}`);
  return toReadableText(outcome.content, outcome.data);
}

export const saidJson = (outcome: Outcome): Json => JSON.parse(said(outcome)) as Json;
