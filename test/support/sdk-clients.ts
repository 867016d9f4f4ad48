import { Client as Modern, StreamableHTTPClientTransport as ModernHttp } from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernStdio } from '@modelcontextprotocol/client/stdio';
import { Client as Legacy } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as LegacyStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as LegacyHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { onTestFinished } from 'vitest';

/** What the person at the client says to a form. */
export type Person = (message: string) => {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: Record<string, boolean>;
};

/** How a client reaches a gateway: a URL with a token, or a program to start. */
export type Way =
  | { readonly url: string; readonly token: string }
  | { readonly argv: readonly string[]; readonly cwd: string; readonly env: Record<string, string> };

interface Called {
  readonly isError: boolean;
  readonly text: string;
}

export interface SdkClient {
  call(name: string, args: Record<string, unknown>, meta?: Record<string, unknown>): Promise<Called>;
}

const toCalled = (result: object): Called => {
  const { isError, content } = result as { isError?: boolean; content: readonly { text?: string }[] };
  return { isError: isError === true, text: content.map(({ text = '' }) => text).join('\n') };
};

/** The official client of the 2026-07-28 era; without a person it does not declare that it can ask. */
export async function modernClient(way: Way, person?: Person): Promise<SdkClient> {
  const client = new Modern(
    { name: 'sdk2', version: '1' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } }, capabilities: person ? { elicitation: { form: {} } } : {} },
  );
  if (person)
    client.setRequestHandler('elicitation/create', (request) => Promise.resolve(person(request.params.message)));
  await client.connect(
    'url' in way
      ? new ModernHttp(new URL(way.url), { requestInit: { headers: { Authorization: `Bearer ${way.token}` } } })
      : new ModernStdio({
          command: process.execPath,
          args: [...way.argv],
          cwd: way.cwd,
          env: way.env,
          stderr: 'ignore',
        }),
  );
  onTestFinished(() => client.close());
  return {
    call: async (name, args, meta) =>
      toCalled(await client.callTool({ name, arguments: args, ...(meta && { _meta: meta }) })),
  };
}

/** The official client of the 2025-11-25 era. */
export async function legacyClient(way: Way, person?: Person): Promise<SdkClient> {
  const client = new Legacy(
    { name: 'sdk1', version: '1' },
    { capabilities: person ? { elicitation: { form: {} } } : {} },
  );
  if (person) client.setRequestHandler(ElicitRequestSchema, ({ params }) => ({ ...person(params.message) }));
  // The SDK's own transports do not fit its own interface under exact optional properties.
  await client.connect(
    ('url' in way
      ? new LegacyHttp(new URL(way.url), { requestInit: { headers: { Authorization: `Bearer ${way.token}` } } })
      : new LegacyStdio({
          command: process.execPath,
          args: [...way.argv],
          cwd: way.cwd,
          env: way.env,
          stderr: 'ignore',
        })) as Transport,
  );
  onTestFinished(() => client.close());
  return {
    call: async (name, args, meta) =>
      toCalled(await client.callTool({ name, arguments: args, ...(meta && { _meta: meta }) })),
  };
}
