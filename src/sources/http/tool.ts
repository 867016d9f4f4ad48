import type { Call } from '../../core/call.js';
import type { Json } from '../../core/json.js';
import type { Outcome } from '../../core/outcome.js';
import type { Handler, Limits, Tool } from '../../core/tool.js';
import { outputSchema, succeeded, unsuccessful } from './answers.js';
import { totalMs, type Caller, type OutRequest } from './caller.js';
import { curlOf } from './curl.js';
import type { CallLimits, Declaration, FunctionDeclaration } from './declarations.js';
import { effectsOf } from './effects.js';
import { endpointRequest, values, type Planned } from './endpoint-request.js';
import { parameterContract, passThrough } from './parameters.js';
import { pathTemplate } from './path-template.js';

/** What a tool needs besides its declaration. */
export interface ToolParts {
  readonly source: string;
  /** The name that callers see. */
  readonly name: string;
  readonly caller: Caller;
  readonly limits: CallLimits;
  readonly guarding: Pick<Limits, 'concurrency' | 'queue' | 'queueTimeoutMs' | 'ratePerMinute'>;
  readonly hide: (text: string) => string;
}

/** An HTTP function or endpoint as a tool. */
export function httpTool(declared: Declaration, parts: ToolParts): Tool {
  const { source, name, limits, guarding } = parts;
  const wholeMs = totalMs(limits);
  return {
    name,
    ...(declared.title !== undefined && { title: declared.title }),
    description: declared.description,
    source,
    input: contractOf(declared),
    output: { schema: outputSchema },
    effects: effectsOf(declared),
    tasks: 'optional',
    limits: { ...guarding, timeoutMs: wholeMs, maxTimeoutMs: wholeMs, maxOutputBytes: 2 * limits.maxResponseBytes },
    details: {
      version: '1.0.0',
      timeout_seconds: wholeMs / 1000,
      attempt_timeout_seconds: limits.timeoutMs / 1000,
      attempts: limits.attempts,
      sandboxed: false,
      category: declared.kind === 'function' ? declared.category : 'http',
      curl: curlOf(declared),
    },
    run: handlerOf(declared, parts),
  };
}

function contractOf(declared: Declaration): Tool['input'] {
  if (declared.kind === 'function')
    return declared.parameters.length === 0 ? passThrough : parameterContract(declared.parameters);
  const inPath = new Set(pathTemplate(declared.path).names);
  return parameterContract(declared.parameters.map((one) => (inPath.has(one.name) ? { ...one, required: true } : one)));
}

function handlerOf(declared: Declaration, { caller, hide }: ToolParts): Handler {
  const plan = declared.kind === 'function' ? functionRequest(declared) : endpointRequest(declared);
  const reading = {
    strict: declared.kind === 'function',
    hide,
    ...(declared.kind === 'endpoint' && declared.select !== undefined && { select: declared.select }),
  };
  return async (call): Promise<Outcome> => {
    const planned = plan(call.args);
    if (!planned.ok) return unsuccessful({ code: 'invalid_arguments', message: planned.message });
    const answered = await caller(
      declared.idempotencyKey === true ? keyed(planned.request, call) : planned.request,
      call,
    );
    return answered.ok ? succeeded(answered.response, reading) : unsuccessful(answered.error);
  };
}

/** The same key on every attempt of a call, and another on the next call. */
const keyed = (request: OutRequest, call: Call): OutRequest => ({
  ...request,
  headers: { ...request.headers, 'idempotency-key': call.id },
});

function functionRequest({
  url,
  functionName,
  headers,
  parameters,
}: FunctionDeclaration): (args: Call['args']) => Planned {
  const target = new URL(url);
  const sent = { accept: 'application/json', 'content-type': 'application/json', ...values(headers) };
  return (args) => {
    const given: Json = parameters.length === 0 ? (args['args'] ?? {}) : args;
    return {
      ok: true,
      request: {
        url: target,
        method: 'POST',
        headers: sent,
        body: JSON.stringify({ function: functionName, args: given }),
      },
    };
  };
}
