import type { Gateway, Identity } from '../../core/gateway.js';
import type { JsonObject } from '../../core/json.js';
import { codes, rpcError } from '../../wire/codes.js';
import type { RpcRequest } from '../../wire/message.js';
import { refusal } from './caller.js';
import type { Caller, Reply } from './caller.js';
import { callMethods } from './calls.js';
import { completion } from './completion.js';
import { encoder } from './encode.js';
import type { Encoder } from './encode.js';
import { listMethods } from './lists.js';
import { resultShelf, shelfLimits } from './shelf.js';
import type { ShelfLimits } from './shelf.js';
import { taskCalls } from './task-calls.js';
import { legacyTaskMethods, modernTaskMethods } from './task-methods.js';
import { memoryTaskStore } from './task-store.js';
import type { TaskStore } from './task-store.js';
import { taskLimits, tasks } from './tasks.js';
import type { TaskLimits, Tasks } from './tasks.js';
import { toolIndex } from './tool-index.js';
import type { ToolIndex } from './tool-index.js';

export interface ProtocolOptions {
  readonly identity: Identity;
  readonly pageSize?: number;
  /** How long a modern client may keep a list without asking again. */
  readonly listTtlMs?: number;
  /** When there is something to list and call; until then requests wait, and only handshakes are answered. */
  readonly ready?: Promise<void>;
  readonly taskStore?: TaskStore;
  readonly taskLimits?: Partial<TaskLimits>;
  /** How long a call may take before a client that knows tasks is given one. */
  readonly taskGraceMs?: number;
  readonly shelf?: Partial<ShelfLimits>;
  /** Told of a bug; the client only learns that there was one. */
  readonly onBug?: (error: unknown, method: string) => void;
}

/** The methods of MCP, the same for every transport and, where eras agree, for both. */
export interface Protocol {
  answer(request: RpcRequest, caller: Caller): Reply | Promise<Reply>;
  readonly identity: Identity;
  readonly encode: Encoder;
  readonly tools: ToolIndex;
  readonly tasks: Tasks;
  readonly gateway: Gateway;
  close(): Promise<void>;
}

type Method = (params: JsonObject, caller: Caller) => Reply | Promise<Reply>;

/** Builds the method tables over one gateway; everything kept between requests is held here and bounded. */
export function protocol(gateway: Gateway, options: ProtocolOptions): Protocol {
  const { identity, pageSize = 1_000, listTtlMs = 60_000, taskGraceMs = 250, onBug } = options;
  const encode = encoder(identity);
  const caching = { ttlMs: listTtlMs, cacheScope: 'private' };
  const tools = toolIndex(gateway);
  const taskTable = tasks(options.taskStore ?? memoryTaskStore(), { ...taskLimits, ...options.taskLimits });
  const shelf = resultShelf({ ...shelfLimits, ...options.shelf });
  const shared: Readonly<Record<string, Method>> = {
    ...listMethods(gateway, { pageSize, caching }, encode),
    ...callMethods(gateway, encode, { caching, shelf, tasks: taskCalls(taskTable, tools, encode, taskGraceMs) }),
    'completion/complete': completion(gateway, encode),
  };
  const modern = new Map<string, Method>(Object.entries({ ...shared, ...modernTaskMethods(taskTable, encode) }));
  const ping: Method = (_, { features }) => ({ result: encode.result({}, features) });
  const legacy = new Map<string, Method>(Object.entries({ ...shared, ping }));
  const november = new Map<string, Method>([...legacy, ...Object.entries(legacyTaskMethods(taskTable, encode))]);

  const bug = (error: unknown, method: string): Reply => {
    onBug?.(error, method);
    return refusal(rpcError(codes.internalError, 'Internal error'));
  };

  let isReady = options.ready === undefined;
  options.ready?.then(
    () => (isReady = true),
    () => {},
  ); // a start that failed closes the door

  const run = (method: Method, name: string, params: JsonObject, caller: Caller): Reply | Promise<Reply> => {
    try {
      const reply = method(params, caller);
      return reply instanceof Promise ? reply.catch((error: unknown) => bug(error, name)) : reply;
    } catch (error) {
      return bug(error, name);
    }
  };

  return {
    identity,
    encode,
    tools,
    tasks: taskTable,
    gateway,
    close: () => taskTable.close(),
    answer({ method, params }, caller) {
      const { features } = caller;
      const known = (features.modern ? modern : features.coreTasks ? november : legacy).get(method);
      if (!known || (method === 'completion/complete' && !features.completions))
        return refusal(rpcError(codes.methodNotFound, 'Method not found'));
      if (isReady || known === ping || options.ready === undefined) return run(known, method, params, caller);
      return options.ready.then(
        () => run(known, method, params, caller),
        (error: unknown) => bug(error, method),
      );
    },
  };
}
