import { ownerOf, type Answer } from '../../../core/gateway.js';
import type { JsonObject } from '../../../core/json.js';
import { rpcCodes, rpcError } from '../../../wire/codes.js';
import { isJsonObject } from '../../../wire/message.js';
import { tasksExtension } from '../../../wire/meta.js';
import { declaresTasks } from '../capabilities.js';
import { refusal } from '../request-context.js';
import type { RequestContext, Reply } from '../request-context.js';
import type { Encoder } from '../methods/encode-result.js';
import type { InvokeCall } from '../methods/client-questions.js';
import { toLegacyTask, toModernTask } from './encode-task.js';
import type { TaskRunner } from './task-runner.js';
import type { ToolIndex } from '../tool-index.js';

/** Whether a call becomes a task: never, if it is slow, at once; `refused` if the tool cannot be called this way. */
type TaskMode = 'no' | 'if-slow' | 'immediate' | 'refused';

/** A call that may become a task. */
interface TaskStart {
  readonly tool: string;
  readonly params: JsonObject;
  readonly context: RequestContext;
  begin(signal: AbortSignal): { readonly first: Promise<Answer>; readonly invoke: InvokeCall };
  finish(first: Promise<Answer>, invoke: InvokeCall): Promise<Reply>;
  readonly immediate: boolean;
}

/** Task handling of `tools/call`. */
export interface TaskCalls {
  modeOf(tool: string, params: JsonObject, context: RequestContext): TaskMode;
  refusal(context: RequestContext): Reply;
  start(call: TaskStart): Promise<Reply>;
}

/** Reply to modern clients that did not declare the tasks extension. */
export const tasksUndeclared = refusal(
  rpcError(
    rpcCodes.missingCapability,
    'This tool requires the tasks extension; declare it in the client capabilities',
    {
      requiredCapabilities: { extensions: { [tasksExtension]: {} } },
    },
  ),
);
const tasksUnsupported = refusal(
  rpcError(rpcCodes.methodNotFound, 'The tool does not support this kind of call; see its execution.taskSupport'),
);

/** Decides which calls become tasks; calls that end within `graceMs` are answered directly. */
export function taskCalls(tasks: TaskRunner, tools: ToolIndex, encode: Encoder, graceMs: number): TaskCalls {
  return {
    modeOf(name, params, { view, features, capabilities }) {
      const isTaskRequest = features.coreTasks && params['task'] !== undefined;
      const support = tools.find(view, name)?.tasks ?? 'forbidden';
      if (support === 'forbidden') return isTaskRequest ? 'refused' : 'no';
      if (features.modern) return declaresTasks(capabilities) ? 'if-slow' : support === 'required' ? 'refused' : 'no';
      if (isTaskRequest) return isJsonObject(params['task']) ? 'immediate' : 'refused';
      return features.coreTasks && support === 'required' ? 'refused' : 'no';
    },
    refusal: ({ features }) => (features.modern ? tasksUndeclared : tasksUnsupported),
    async start({ tool, params, context, begin, finish, immediate }) {
      const controller = new AbortController();
      // Until the call is a task, a disconnect cancels it like any other call.
      const onDisconnect = (): void => controller.abort();
      if (context.signal.aborted) onDisconnect();
      context.signal.addEventListener('abort', onDisconnect, { once: true });
      const { first, invoke } = begin(controller.signal);
      if (!immediate && (await settlesWithin(first, graceMs)))
        return finish(first, invoke).finally(() => context.signal.removeEventListener('abort', onDisconnect));
      const requestedTtl = isJsonObject(params['task']) ? params['task']['ttl'] : undefined;
      const ttlMs =
        Number.isSafeInteger(requestedTtl) && Number(requestedTtl) > 0 ? { ttlMs: Number(requestedTtl) } : {};
      const record = await tasks.adopt({ owner: ownerOf(context.view), tool, ...ttlMs }, first, invoke, controller);
      // Task limit reached: the client waits for the result, as for any other call.
      if (!record)
        return finish(first, invoke).finally(() => context.signal.removeEventListener('abort', onDisconnect));
      context.signal.removeEventListener('abort', onDisconnect);
      const { features } = context;
      return {
        result: features.modern
          ? encode.result({ resultType: 'task', ...toModernTask(record) }, features)
          : encode.result({ task: toLegacyTask(record) }, features),
      };
    },
  };
}

/** Whether the promise settles within `ms`. */
function settlesWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ms);
    const end = (): void => {
      clearTimeout(timer);
      resolve(true);
    };
    work.then(end, end);
  });
}
