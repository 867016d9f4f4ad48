import { schemaContract } from '../core/contract.js';
import type { Call } from '../core/call.js';
import type { Guard } from '../core/guard.js';
import type { Json, JsonObject } from '../core/json.js';
import { declareLimits } from '../core/limits.js';
import { done, type Outcome } from '../core/outcome.js';
import type { Principal } from '../core/principal.js';
import type { ToolSource } from '../core/source.js';
import type { Effects, Limits, Operation, Tool } from '../core/tool.js';
import { worstEffects } from '../core/tool.js';
import { sendProblem } from '../transports/http/edge/respond.js';
import type { HttpContext, Route } from '../transports/http/edge/route.js';
import { clientJson, decodeJson } from '../wire/json.js';

/** A tool in code. */
export interface ToolDefinition {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  /** JSON Schema of the arguments: an object. */
  readonly input: JsonObject;
  /** By default the worst: writes, destroys, reaches the outside. */
  readonly effects?: Partial<Effects>;
  /** Absent limits are the operator's defaults. */
  readonly limits?: Partial<Limits>;
  /** Returns an outcome, a text, or data. Arguments are validated; secrets and injected instructions are cleaned from the result. */
  run(args: Call['args'], call: Call): Promise<Outcome | Json> | Outcome | Json;
}

export interface SourceDefinition extends Omit<ToolSource, 'list'> {
  /** The tools, or a function that lists them anew. */
  readonly tools: readonly ToolDefinition[] | ((signal: AbortSignal) => Promise<readonly ToolDefinition[]>);
}

/** A source of tools in code, for `createGate`. */
export function defineSource({ tools, ...source }: SourceDefinition): ToolSource {
  return {
    ...source,
    async list(signal) {
      const listed = typeof tools === 'function' ? await tools(signal) : tools;
      return listed.map((tool) => toTool(source.id, tool));
    },
  };
}

function toTool(source: string, { run, input, effects, limits, ...rest }: ToolDefinition): Tool {
  const operation: Operation = async (call) => toOutcome(await run(call.args, call));
  return {
    ...rest,
    source,
    input: schemaContract(input),
    effects: { ...worstEffects, labels: [], ...effects },
    ...declareLimits({ limits: limits ?? {} }),
    run: operation,
  };
}

const isOutcome = (value: unknown): value is Outcome =>
  typeof value === 'object' &&
  value !== null &&
  'kind' in value &&
  (value.kind === 'done' || value.kind === 'failed' || value.kind === 'confirm');

const toOutcome = (value: Outcome | Json): Outcome =>
  isOutcome(value) ? value : typeof value === 'string' ? done(value) : done([], value);

export interface GuardDefinition {
  /** Shown in stack traces. */
  readonly name: string;
  /** Whether the guard concerns a tool; asked once per tool. All tools by default. */
  appliesTo?(tool: Tool): boolean;
  /** Refuses, or passes the call on and returns its outcome. The arguments are parsed, and the call is authorized. */
  handle(call: Call, next: () => Promise<Outcome>, tool: Tool): Promise<Outcome> | Outcome;
}

/** A guard for `createGate`; runs after `authorize`, so that its refusals are audited and it sees only authorized calls. */
export function defineGuard({ name, appliesTo = () => true, handle }: GuardDefinition): Guard {
  const guard: Guard = (tool, next) => (appliesTo(tool) ? async (call) => handle(call, () => next(call), tool) : next);
  return Object.defineProperty(guard, 'name', { value: name });
}

/** One request as a route in code gets it. */
export interface RouteRequest extends Pick<HttpContext, 'params' | 'query' | 'signal' | 'peer'> {
  readonly principal: Principal;
  /** Decoded body of a POST; undefined without one. */
  readonly body: Json | undefined;
}

export interface RouteDefinition extends Pick<Route, 'method' | 'path' | 'auth' | 'doc'> {
  handle(request: RouteRequest): Promise<Response> | Response;
}

/** An HTTP route for `createGate`; the edge checks Host, Origin, rate, credential and body size before it runs. */
export const defineRoute = ({ handle, ...route }: RouteDefinition): Route => ({
  ...route,
  ...(route.method === 'POST' && { consumes: 'application/json' }),
  async handle({ res, principal, params, query, signal, peer, body }) {
    const decoded = body.length === 0 ? { value: undefined } : decodeJson(body, clientJson);
    if ('problem' in decoded) return sendProblem(res, 400, 'bad_request', decoded.problem.message);
    const response = await handle({ principal, params, query, signal, peer, body: decoded.value });
    res.writeHead(response.status, Object.fromEntries(response.headers));
    if (response.body !== null) for await (const chunk of response.body) res.write(chunk);
    res.end();
    return undefined;
  },
});
