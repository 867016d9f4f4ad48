import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { defaultLimits } from '../../src/core/tool.js';
import type { RemoteChannelOptions } from '../../src/sources/mcp/channels/remote-channel.js';
import { remoteChannel } from '../../src/sources/mcp/channels/remote-channel.js';
import { mcpSource } from '../../src/sources/mcp/source.js';
import type { McpSource, McpSourceOptions } from '../../src/sources/mcp/source.js';
import { localEgress } from './gates.js';
import type { Loose } from './mcp.js';

export type Answering = (request: {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly body: Loose;
}) => void | Promise<void>;

/** A listener on loopback that answers as it is told; it and its connections are gone when the test ends. */
export async function listener(answer: Answering): Promise<{
  readonly url: string;
  readonly requests: { method: string; headers: IncomingMessage['headers']; body: Loose }[];
  sockets(): Promise<number>;
}> {
  const requests: { method: string; headers: IncomingMessage['headers']; body: Loose }[] = [];
  const server = createServer((req, res) => {
    let text = '';
    req
      .setEncoding('utf8')
      .on('data', (chunk: string) => (text += chunk))
      .on('end', () => {
        const body: Loose = text === '' ? undefined : JSON.parse(text);
        requests.push({ method: req.method ?? '', headers: req.headers, body });
        void answer({ req, res, body });
      });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    requests,
    sockets: () => new Promise((resolve) => server.getConnections((_, count) => resolve(count))),
  };
}

export const json = (res: ServerResponse, body: unknown, status = 200, headers: Record<string, string> = {}): void => {
  res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
};

/** A source that speaks to a remote server on loopback. */
export function aRemote(
  url: string,
  over: { readonly source?: Partial<McpSourceOptions>; readonly remote?: Partial<RemoteChannelOptions> } = {},
): McpSource {
  const way = localEgress();
  const made = mcpSource({
    id: 'far',
    prefix: 'far',
    remote: true,
    era: 'auto',
    clientInfo: { name: 'toolgate', version: '0' },
    limits: { limits: { ...defaultLimits, ratePerMinute: 0 } },
    sharing: 'principal',
    connectMs: 10_000,
    startupMs: 10_000,
    open: remoteChannel({
      url,
      transport: 'streamable_http',
      egress: way,
      credentials: () => ({ headers: () => Promise.resolve({ headers: {} }) }),
      ...over.remote,
    }),
    ...over.source,
  });
  onTestFinished(async () => {
    await made.close?.();
    await way.close();
  });
  return made;
}
