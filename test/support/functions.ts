import { onTestFinished } from 'vitest';
import type { RequestListener } from 'node:http';
import type { Call } from '../../src/core/call.js';
import type { Outcome } from '../../src/core/outcome.js';
import type { Tool } from '../../src/core/tool.js';
import type { ToolSource } from '../../src/core/source.js';
import type { EndpointDeclaration, FunctionDeclaration } from '../../src/sources/http/declarations.js';
import { httpFunctionsSource, type HttpFunctionsOptions } from '../../src/sources/http/source.js';
import { aCall, never } from './make.js';
import { recordingServer, type RecordingServer } from './recording-server.js';

export const aFunction = (over: Partial<FunctionDeclaration> & { readonly url: string }): FunctionDeclaration => ({
  kind: 'function',
  name: 'f',
  functionName: 'f',
  category: 'mcp',
  description: 'does f',
  headers: {},
  parameters: [],
  ...over,
});

export const anEndpoint = (over: Partial<EndpointDeclaration> & { readonly baseUrl: string }): EndpointDeclaration => ({
  kind: 'endpoint',
  name: 'e',
  description: 'does e',
  method: 'GET',
  path: '/',
  headers: {},
  query: {},
  parameters: [],
  bodyType: 'json',
  resource: false,
  ...over,
});

/** A source over the given tools with the usual limits and waits that take no time; it is closed when the test ends. */
export function aSource(over: Partial<HttpFunctionsOptions>): {
  readonly source: ToolSource;
  readonly waits: number[];
} {
  const waits: number[] = [];
  const sleep = (ms: number): Promise<void> => {
    waits.push(ms);
    return Promise.resolve();
  };
  const source = httpFunctionsSource({
    id: 'fn',
    tools: [],
    allowedDomains: ['localhost', '127.0.0.1'],
    limits: { timeoutMs: 10_000, attempts: 3, maxResponseBytes: 1_048_576 },
    ...over,
    timing: { sleep, random: () => 1, ...over.timing },
  });
  onTestFinished(() => source.close?.());
  return { source, waits };
}

/** A server whose answers come one after the other, the last one for ever; it is closed when the test ends. */
export async function aServer(
  ...answers: readonly RequestListener[]
): Promise<RecordingServer & { readonly url: string }> {
  let turn = 0;
  const server = await recordingServer({
    answer(request, response) {
      const answer = answers[Math.min(turn, answers.length - 1)];
      turn += 1;
      if (answer === undefined) response.end('{}');
      else answer(request, response);
    },
  });
  onTestFinished(() => server.close());
  return Object.assign(server, { url: `http://127.0.0.1:${server.port}/` });
}

/** Answers with JSON. */
export const json =
  (value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): RequestListener =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(value));
  };

/** Breaks the connection off. */
export const hangUp: RequestListener = (request) => request.socket.destroy();

/** The tool of a source by name. */
export async function toolOf(source: ToolSource, name: string): Promise<Tool> {
  const tool = (await source.list(never)).find((each) => each.name === name);
  if (tool === undefined) throw new Error(`there is no tool ${name}`);
  return tool;
}

/** Calls a tool as the pipeline does: arguments are parsed first. */
export async function called(tool: Tool, args: Call['args'] = {}, over: Partial<Call> = {}): Promise<Outcome> {
  const parsed = await tool.input.parse(args);
  if (!parsed.ok)
    return {
      kind: 'failed',
      error:
        'error' in parsed
          ? parsed.error
          : {
              code: 'invalid_arguments',
              message: parsed.problems.map(({ field, message }) => `${field} ${message}`).join('; '),
            },
    };
  return tool.run(aCall({ args: parsed.value, ...over }));
}
