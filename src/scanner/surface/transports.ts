import type { CallSeen } from '../evaluate/machine.js';
import type { Machine } from '../evaluate/machine.js';
import { stringOf } from '../evaluate/values.js';
import type { Findings } from './registrations.js';
import type { Transport } from './report.js';
import { scriptSdkOf, sdkOf, serverKind } from './sdk.js';

const starters = new Set([
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

/** Keeps the calls by which servers start to listen. */
export function seeStart(findings: Findings, seen: CallSeen): void {
  const name = seen.method || (seen.callee.kind === 'external' ? (seen.callee.path.at(-1) ?? '') : '');
  if (!starters.has(name)) return;
  const isSdkName = /(?:Transport|Manager|stdio|Stdio|createMcpHandler|websocket_server|_app$|SSE)/.test(name);
  const sdk =
    seen.callee.kind === 'external' ? (sdkOf(seen.callee.source) ?? scriptSdkOf(seen.callee.source)) : undefined;
  if (isSdkName || sdk !== undefined || serverKind(seen.receiver) !== undefined)
    findings.started.push({ name, args: seen.args, at: seen.at });
}

/** The transports that a start call opens. */
function opened(name: string, asked: string | undefined, isPython: boolean): readonly Transport[] {
  if (/websocket/i.test(name) || asked === 'websocket' || asked === 'ws') return ['websocket'];
  if (asked !== undefined)
    return asked === 'stdio'
      ? ['stdio']
      : /^(?:sse|http|streamable-http|streamable_http|httpStream)$/.test(asked)
        ? ['http']
        : [];
  if (/stdio/i.test(name)) return ['stdio'];
  if (/sse|http|createMcpHandler|serve$/i.test(name)) return ['http'];
  return isPython && /^run(?:_async)?$/.test(name) ? ['stdio'] : [];
}

/** Every transport that the code was seen to start; imports only count where no start was seen. */
export function transportsOf(machine: Machine, findings: Findings): Transport[] {
  const found = new Set<Transport>();
  for (const { name, args, at } of findings.started) {
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
    const computed =
      isPython &&
      (args.named.has('transport') || (/^run(?:_async)?$/.test(name) && first !== undefined)) &&
      asked === undefined;
    if (computed)
      for (const each of optionsIn(args.named.get('transport') ?? first))
        opened(name, each, true).forEach((one) => found.add(one));
    else opened(name, asked, isPython).forEach((one) => found.add(one));
    void second;
  }
  if (found.size === 0)
    for (const run of machine.runs.values())
      for (const stmt of run.module.body) if (stmt.kind === 'import') byImport(stmt.source, found);
  const order: readonly Transport[] = ['stdio', 'http', 'websocket'];
  return order.filter((each) => found.has(each));
}

function optionsIn(value: unknown): string[] {
  const given = value as { kind: string; options?: readonly { kind: string; value?: unknown }[] } | undefined;
  return given?.kind === 'choice'
    ? (given.options ?? []).flatMap((each) => (typeof each.value === 'string' ? [each.value] : []))
    : [];
}

/** By whole words of the import path: `aws` is no `ws`, and an HTTP client is no server. */
function byImport(source: string, found: Set<Transport>): void {
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
