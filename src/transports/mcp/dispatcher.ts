import type { Gateway, Identity } from '../../core/gateway.js';
import type { JsonObject } from '../../core/json.js';
import { rpcCodes, rpcError } from '../../wire/codes.js';
import type { RpcRequest } from '../../wire/message.js';
import type { OnUnreadable } from '../unreadable.js';
import { refusal } from './request-context.js';
import type { RequestContext, Reply } from './request-context.js';
import { callMethodHandlers } from './methods/call-methods.js';
import { completionMethod } from './methods/completion.js';
import { encoder } from './methods/encode-result.js';
import type { Encoder } from './methods/encode-result.js';
import { listMethodHandlers } from './methods/list-methods.js';
import { resultStore, resultStoreLimits } from './methods/result-store.js';
import type { ResultStoreLimits } from './methods/result-store.js';
import { subscribeMethods } from './methods/subscribe-methods.js';
import { taskCalls } from './tasks/task-calls.js';
import { legacyTaskMethods, modernTaskMethods } from './tasks/task-methods.js';
import { memoryTaskStore } from './tasks/task-store.js';
import type { TaskStore } from './tasks/task-store.js';
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
  readonly taskLimits?: Partial<TaskLimits>;
  /** Calls that take longer become a task, if the client supports tasks. */
  readonly taskGraceMs?: number;
  readonly results?: Partial<ResultStoreLimits>;
  /** Called with unexpected errors; the client only gets `Internal error`. */
  readonly onBug?: (error: unknown, method: string) => void;
  readonly onUnreadable?: OnUnreadable;
}

/** Dispatches MCP requests to their method handlers; shared by all transports and revisions. */
export interface McpDispatcher {
  dispatch(request: RpcRequest, context: RequestContext): Reply | Promise<Reply>;
  readonly identity: Identity;
  readonly encode: Encoder;
  readonly tools: ToolIndex;
  readonly tasks: TaskRunner;
  readonly gateway: Gateway;
  close(): Promise<void>;
}

type MethodHandler = (params: JsonObject, context: RequestContext) => Reply | Promise<Reply>;

/** Builds the method tables over one gateway; all state between requests lives here and is bounded. */
export function mcpDispatcher(gateway: Gateway, options: McpOptions): McpDispatcher {
  const { identity, pageSize = 1_000, listTtlMs = 60_000, taskGraceMs = 250, onBug } = options;
  const encode = encoder(identity);
  // `private`: a shared cache must not serve the tools of one principal to another.
  const caching = { ttlMs: listTtlMs, cacheScope: 'private' };
  const tools = toolIndex(gateway);
  const tasks = taskRunner(options.taskStore ?? memoryTaskStore(), { ...taskLimits, ...options.taskLimits });
  const results = resultStore({ ...resultStoreLimits, ...options.results });
  const shared: Readonly<Record<string, MethodHandler>> = {
    ...listMethodHandlers(gateway, { pageSize, caching }, encode),
    ...callMethodHandlers(gateway, encode, {
      caching,
      results,
      tasks: taskCalls(tasks, tools, encode, taskGraceMs),
      onUnreadable: options.onUnreadable,
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
    return refusal(rpcError(rpcCodes.internalError, 'Internal error'));
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
      return reply instanceof Promise ? reply.catch((error: unknown) => reportBug(error, name)) : reply;
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
    close: () => tasks.close(),
    dispatch({ method, params }, context) {
      const { features } = context;
      const handler = (features.modern ? modern : features.coreTasks ? legacyWithTasks : legacy).get(method);
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
