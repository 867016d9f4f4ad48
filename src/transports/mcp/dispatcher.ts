import type { Gateway, Identity } from '../../core/gateway.js';
import type { JsonObject } from '../../core/json.js';
import { rpcCodes, rpcError } from '../../wire/codes.js';
import type { RpcRequest } from '../../wire/message.js';
import { clientNameOf, metaKeys, metaOf } from '../../wire/meta.js';
import type { OnUnreadable } from '../unreadable.js';
import { doorRefusal, refusal } from './request-context.js';
import type { RequestContext, Reply } from './request-context.js';
import { callMethodHandlers } from './methods/call-methods.js';
import { completionMethod } from './methods/completion.js';
import { encoder } from './methods/encode-result.js';
import type { Encoder } from './methods/encode-result.js';
import { listMethodHandlers } from './methods/list-methods.js';
import { linkLargeParts } from './methods/large-parts.js';
import { subscribeMethods } from './methods/subscribe-methods.js';
import { taskCalls } from './tasks/task-calls.js';
import { legacyTaskMethods, modernTaskMethods } from './tasks/task-methods.js';
import { memoryTaskStore } from './tasks/task-store.js';
import type { TaskStore } from './tasks/task-store.js';
import type { TaskLeases } from './tasks/task-leases.js';
import { taskLimits, taskRunner } from './tasks/task-runner.js';
import type { TaskLimits, TaskRunner } from './tasks/task-runner.js';
import { toolIndex } from './tool-index.js';
import type { ToolIndex } from './tool-index.js';

/** Options shared by the MCP transports. */
export interface McpOptions {
  readonly identity: Identity;
  readonly pageSize?: number;
  /** Cache lifetime of lists at modern clients. */
  readonly listTtlMs?: number;
  /** Resolves when sources are listed; until then requests wait and only handshakes are answered. */
  readonly ready?: Promise<void>;
  readonly taskStore?: TaskStore;
  /** Leases of running tasks, if several replicas share the store. */
  readonly taskLeases?: TaskLeases;
  readonly taskLimits?: Partial<TaskLimits>;
  /** Calls that take longer become a task, if the client supports tasks. */
  readonly taskGraceMs?: number;
  /** Longer parts of a result are stored and replaced by a link. */
  readonly inlineBytes?: number;
  /** Called with unexpected errors; the client only gets `Internal error`. */
  readonly onBug?: (error: unknown, method: string) => void;
  readonly onUnreadable?: OnUnreadable;
  /** Called with the declared name of the client program for each tool call. */
  readonly onClientCall?: (client: string) => void;
}

/** Dispatches MCP requests to their method handlers; shared by all transports and revisions. */
export interface McpDispatcher {
  dispatch(request: RpcRequest, context: RequestContext): Reply | Promise<Reply>;
  readonly identity: Identity;
  readonly encode: Encoder;
  readonly tools: ToolIndex;
  readonly tasks: TaskRunner;
  readonly gateway: Gateway;
  /** Records a request that a door refuses before the gateway, if it would have been a call. */
  recordRefusal(
    request: Pick<RpcRequest, 'method' | 'params'>,
    from: Pick<RequestContext, 'view' | 'via'>,
    message: string,
  ): void;
  close(): Promise<void>;
}

/** Methods that are calls: each answer has an audit record, by the guards or, if the door refuses, by the dispatcher. */
const callMethods: ReadonlySet<string> = new Set([
  'tools/call',
  'prompts/get',
  'resources/read',
  'resources/subscribe',
  'completion/complete',
]);

/** Handler of one method. */
type MethodHandler = (params: JsonObject, context: RequestContext) => Reply | Promise<Reply>;

/** Builds the method tables over one gateway; all state between requests lives here and is bounded. */
export function mcpDispatcher(gateway: Gateway, options: McpOptions): McpDispatcher {
  const { identity, pageSize = 1_000, listTtlMs = 60_000, taskGraceMs = 250, onBug } = options;
  const encode = encoder(identity);
  // `private`: a shared cache must not serve the tools of one principal to another.
  const caching = { ttlMs: listTtlMs, cacheScope: 'private' };
  const tools = toolIndex(gateway);
  const tasks = taskRunner(
    options.taskStore ?? memoryTaskStore(),
    { ...taskLimits, ...options.taskLimits },
    undefined,
    options.taskLeases,
  );
  // Methods that exist in every revision.
  const shared: Readonly<Record<string, MethodHandler>> = {
    ...listMethodHandlers(gateway, { pageSize, caching }, encode),
    ...callMethodHandlers(gateway, encode, {
      caching,
      linkLarge: linkLargeParts(gateway, options.inlineBytes),
      tasks: taskCalls(tasks, tools, encode, taskGraceMs),
    }),
    'completion/complete': completionMethod(gateway, encode),
  };
  const modern = new Map<string, MethodHandler>(Object.entries({ ...shared, ...modernTaskMethods(tasks, encode) }));
  const ping: MethodHandler = (_, { features }) => ({ result: encode.result({}, features) });
  const legacy = new Map<string, MethodHandler>(
    Object.entries({ ...shared, ...subscribeMethods(gateway, encode), ping }),
  );
  // Only 2025-11-25 has the experimental task methods.
  const legacyWithTasks = new Map<string, MethodHandler>([
    ...legacy,
    ...Object.entries(legacyTaskMethods(tasks, encode)),
  ]);

  /** Hides unexpected errors from the client: their messages may contain paths or secrets. */
  const reportBug = (error: unknown, method: string): Reply => {
    onBug?.(error, method);
    return { error: rpcError(rpcCodes.internalError, 'Internal error') };
  };

  const recordRefusal: McpDispatcher['recordRefusal'] = ({ method, params }, { view, via }, message) => {
    if (!callMethods.has(method)) return;
    // The name is what the audit shows; other calls are recorded under their method.
    const { name } = params;
    options.onUnreadable?.({
      principal: view.principal,
      via,
      ...(view.peer !== undefined && { peer: view.peer }),
      tool: method === 'tools/call' && typeof name === 'string' ? name : method,
      message,
    });
  };

  // Avoids one promise per request once the sources are listed.
  let isReady = options.ready === undefined;
  options.ready?.then(
    () => (isReady = true),
    () => {},
  ); // a failed start closes the transport

  const run = (
    method: MethodHandler,
    name: string,
    params: JsonObject,
    context: RequestContext,
  ): Reply | Promise<Reply> => {
    try {
      const reply = method(params, context);
      // A refusal before the gateway would otherwise leave no audit record.
      const record = callMethods.has(name)
        ? (answer: Reply): Reply => {
            const refused = doorRefusal(answer);
            if (refused) recordRefusal({ method: name, params }, context, refused.message);
            return answer;
          }
        : undefined;
      // Synchronous replies stay synchronous: lists are answered from a cache without a promise.
      if (!(reply instanceof Promise)) return record ? record(reply) : reply;
      return (record ? reply.then(record) : reply).catch((error: unknown) => reportBug(error, name));
    } catch (error) {
      return reportBug(error, name);
    }
  };

  return {
    identity,
    encode,
    tools,
    tasks,
    gateway,
    recordRefusal,
    close: () => tasks.close(),
    dispatch({ method, params }, context) {
      const { features } = context;
      // Counted for the page about assistants; the name is the client's own statement.
      if (method === 'tools/call' && options.onClientCall) {
        const client = context.client ?? clientNameOf(metaOf(params)?.[metaKeys.clientInfo]);
        if (client !== undefined) options.onClientCall(client);
      }
      const handler = (features.modern ? modern : features.coreTasks ? legacyWithTasks : legacy).get(method);
      // Unknown and unsupported methods give the same error, as JSON-RPC requires.
      if (!handler || (method === 'completion/complete' && !features.completions))
        return refusal(rpcError(rpcCodes.methodNotFound, 'Method not found'));
      if (isReady || handler === ping || options.ready === undefined) return run(handler, method, params, context);
      return options.ready.then(
        () => run(handler, method, params, context),
        (error: unknown) => reportBug(error, method),
      );
    },
  };
}
