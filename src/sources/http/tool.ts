import type { Call } from '../../core/call.js';
import type { Json } from '../../core/json.js';
import { declareLimits } from '../../core/limits.js';
import type { Outcome } from '../../core/outcome.js';
import type { Handler, Tool, ToolOrigin } from '../../core/tool.js';
import { resultSchema, responseOutcome, failureOutcome } from './responses.js';
import { totalMs, type Sender, type OutboundRequest } from './sender.js';
import { curlCommand } from './requests/curl.js';
import type { CallLimits, Declaration, FunctionDeclaration } from './declarations.js';
import { effectsOf } from './effects.js';
import { endpointRequest, plainValues, type RequestPlan } from './requests/endpoint-request.js';
import { parameterContract, passThroughContract } from './requests/parameters.js';
import { pathTemplate } from './requests/path-template.js';

/** Dependencies of a tool besides its declaration. */
interface HttpToolParts {
  readonly source: string;
  /** Name shown to clients. */
  readonly name: string;
  readonly sender: Sender;
  readonly limits: CallLimits;
  readonly redact: (text: string) => string;
  /** Breaker of the origin, shared by all tools that call it. */
  readonly origin?: ToolOrigin;
  /** Set for a function that its server listed: its name there is the server's own statement. */
  readonly discovered?: boolean;
}

/** Builds the tool of an HTTP function or endpoint. */
export function httpTool(declared: Declaration, parts: HttpToolParts): Tool {
  const { source, name, limits } = parts;
  const deadlineMs = totalMs(limits);
  return {
    name,
    ...(declared.title !== undefined && { title: declared.title }),
    description: declared.description,
    source,
    input: inputContract(declared),
    output: { schema: resultSchema },
    effects: effectsOf(declared),
    ...(parts.origin && { origin: parts.origin }),
    ...(parts.discovered === true &&
      // The identity of the server pins the definition: another server under the same name counts as changed.
      declared.kind === 'function' && { upstream: { name: declared.functionName, identity: declared.url } }),
    tasks: 'optional',
    ...declareLimits({
      limits: { timeoutMs: deadlineMs, maxTimeoutMs: deadlineMs, maxOutputBytes: 2 * limits.maxResponseBytes },
      // A timeout set by the operator is that of one attempt, and so already part of the deadline.
      applies: ['timeout'],
    }),
    details: {
      version: '1.0.0',
      timeout_seconds: deadlineMs / 1000,
      attempt_timeout_seconds: limits.timeoutMs / 1000,
      attempts: limits.attempts,
      sandboxed: false,
      category: declared.kind === 'function' ? declared.category : 'http',
      curl: curlCommand(declared),
    },
    run: httpHandler(declared, parts),
  };
}

/** Contract of the arguments; those in the path are required whatever was declared, because a path has no gaps. */
function inputContract(declared: Declaration): Tool['input'] {
  if (declared.kind === 'function')
    return declared.parameters.length === 0 ? passThroughContract : parameterContract(declared.parameters);
  const inPath = new Set(pathTemplate(declared.path).names);
  return parameterContract(
    declared.parameters.map((parameter) => (inPath.has(parameter.name) ? { ...parameter, required: true } : parameter)),
  );
}

/** Runs a call: builds the request, sends it and converts the response. */
function httpHandler(declared: Declaration, { sender, redact }: Pick<HttpToolParts, 'sender' | 'redact'>): Handler {
  const plan = declared.kind === 'function' ? functionRequest(declared) : endpointRequest(declared);
  // Built once per tool, not per call.
  const responseOptions = {
    strict: declared.kind === 'function',
    redact,
    ...(declared.kind === 'endpoint' && declared.select !== undefined && { select: declared.select }),
  };
  return async (call): Promise<Outcome> => {
    const requestPlan = plan(call.args);
    // Reported in the shape of a result, which clients of functions parse.
    if (!requestPlan.ok) return failureOutcome({ code: 'invalid_arguments', message: requestPlan.message });
    const result = await sender(
      declared.idempotencyKey === true ? withIdempotencyKey(requestPlan.request, call) : requestPlan.request,
      call,
    );
    return result.ok ? responseOutcome(result.response, responseOptions) : failureOutcome(result.error);
  };
}

/** Same key for all attempts of a call, a new key for each call: the service can deduplicate retries. */
const withIdempotencyKey = (request: OutboundRequest, call: Call): OutboundRequest => ({
  ...request,
  headers: { ...request.headers, 'idempotency-key': call.id },
});

/** Request of a function: name and arguments in one JSON body. */
function functionRequest({
  url,
  functionName,
  headers,
  parameters,
}: FunctionDeclaration): (args: Call['args']) => RequestPlan {
  const target = new URL(url);
  const requestHeaders = { accept: 'application/json', 'content-type': 'application/json', ...plainValues(headers) };
  return (args) => {
    // Without declared parameters the caller's object is passed through.
    const functionArgs: Json = parameters.length === 0 ? (args['args'] ?? {}) : args;
    return {
      ok: true,
      request: {
        url: target,
        method: 'POST',
        headers: requestHeaders,
        body: JSON.stringify({ function: functionName, args: functionArgs }),
      },
    };
  };
}
