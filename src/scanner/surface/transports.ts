import type { ObservedCall } from '../evaluate/interpreter/abstract-machine.js';
import type { Machine } from '../evaluate/interpreter/abstract-machine.js';
import { stringOf } from '../evaluate/values/values.js';
import type { Discoveries } from './registrations.js';
import type { Transport } from './report.js';
import { scriptSdkOf, sdkOf, serverKind } from './sdk.js';

/** Functions and classes that start a server, over all SDKs. */
const startCalls = new Set([
  'run',
  'run_async',
  'run_stdio_async',
  'run_sse_async',
  'run_streamable_http_async',
  'run_http_async',
  'start',
  'connect',
  'serve',
  'listen',
  'http_app',
  'sse_app',
  'streamable_http_app',
  'stdio_server',
  'serve_stdio',
  'run_stdio',
  'serveStdio',
  'createMcpHandler',
  'StdioServerTransport',
  'SSEServerTransport',
  'StreamableHTTPServerTransport',
  'NodeStreamableHTTPServerTransport',
  'WebStandardStreamableHTTPServerTransport',
  'SseServerTransport',
  'StreamableHTTPSessionManager',
  'WebSocketServerTransport',
  'websocket_server',
  'serveSSE',
]);

/** Records calls that start a server. */
export function recordStart(discoveries: Discoveries, seen: ObservedCall): void {
  const name = seen.method || (seen.callee.kind === 'external' ? (seen.callee.path.at(-1) ?? '') : '');
  if (!startCalls.has(name)) return;
  // Generic names such as `run` count only on a server; names of the SDK count everywhere.
  const isSdkName = /(?:Transport|Manager|stdio|Stdio|createMcpHandler|websocket_server|_app$|SSE)/.test(name);
  const sdk =
    seen.callee.kind === 'external' ? (sdkOf(seen.callee.source) ?? scriptSdkOf(seen.callee.source)) : undefined;
  if (isSdkName || sdk !== undefined || serverKind(seen.receiver) !== undefined)
    discoveries.started.push({ name, args: seen.args, at: seen.at });
}

/** The transports that a start call uses. */
function transportsFor(name: string, asked: string | undefined, isPython: boolean): readonly Transport[] {
  if (/websocket/i.test(name) || asked === 'websocket' || asked === 'ws') return ['websocket'];
  if (asked !== undefined)
    return asked === 'stdio'
      ? ['stdio']
      : /^(?:sse|http|streamable-http|streamable_http|httpStream)$/.test(asked)
        ? ['http']
        : [];
  if (/stdio/i.test(name)) return ['stdio'];
  if (/sse|http|createMcpHandler|serve$/i.test(name)) return ['http'];
  // `run()` without an argument means stdio in both Python SDKs.
  return isPython && /^run(?:_async)?$/.test(name) ? ['stdio'] : [];
}

/** Every transport that the code starts; imports count only if no start call was found. */
export function transportsOf(machine: Machine, discoveries: Discoveries): Transport[] {
  const found = new Set<Transport>();
  for (const { name, args, at } of discoveries.started) {
    const [first, second] = args.positional;
    const options =
      first?.kind === 'object'
        ? (stringOf(first.props.get('transportType')) ?? stringOf(first.props.get('transport')))
        : undefined;
    const isPython = at.module.language === 'python';
    const asked =
      stringOf(args.named.get('transport')) ??
      options ??
      (isPython && name.startsWith('run') ? stringOf(first) : undefined);
    // A transport chosen at run time counts with each of its possible values.
    const computed =
      isPython &&
      (args.named.has('transport') || (/^run(?:_async)?$/.test(name) && first !== undefined)) &&
      asked === undefined;
    if (computed)
      for (const each of optionsIn(args.named.get('transport') ?? first))
        transportsFor(name, each, true).forEach((one) => found.add(one));
    else transportsFor(name, asked, isPython).forEach((one) => found.add(one));
    void second;
  }
  // No start call was found: imports are the weaker evidence.
  if (found.size === 0)
    for (const run of machine.runs.values())
      for (const stmt of run.module.body) if (stmt.kind === 'import') addByImport(stmt.source, found);
  // A fixed order, so that reports are stable.
  const order: readonly Transport[] = ['stdio', 'http', 'websocket'];
  return order.filter((each) => found.has(each));
}

/** Possible texts of a choice. */
function optionsIn(value: unknown): string[] {
  const given = value as { kind: string; options?: readonly { kind: string; value?: unknown }[] } | undefined;
  return given?.kind === 'choice'
    ? (given.options ?? []).flatMap((each) => (typeof each.value === 'string' ? [each.value] : []))
    : [];
}

/** Matches complete words of the import path: `aws` is not `ws`, and an HTTP client is not a server. */
function addByImport(source: string, found: Set<Transport>): void {
  const parts = source.toLowerCase().split(/[./\\_-]/);
  if (parts.includes('stdio') || parts.includes('stdio.js')) found.add('stdio');
  if (
    ['express', 'fastapi', 'flask', 'fastify', 'hono', 'koa', 'starlette', 'uvicorn', 'aiohttp'].some((word) =>
      parts.includes(word),
    )
  )
    found.add('http');
  if (parts.includes('websockets') || parts.includes('websocket') || source === 'ws') found.add('websocket');
}
