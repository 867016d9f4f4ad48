import { ownerOf, type Answer } from '../../core/gateway.js';
import type { JsonObject } from '../../core/json.js';
import { codes, rpcError } from '../../wire/codes.js';
import { isObject } from '../../wire/message.js';
import { tasksExtension } from '../../wire/meta.js';
import { declaresTasks } from './capabilities.js';
import { refusal } from './caller.js';
import type { Caller, Reply } from './caller.js';
import type { Encoder } from './encode.js';
import type { Attempt } from './questions.js';
import { toLegacyTask, toModernTask } from './task-wire.js';
import type { Tasks } from './tasks.js';
import type { ToolIndex } from './tool-index.js';

/** Whether a call becomes a task: never, when it takes long, at once, or it may not run otherwise. */
export type TaskWish = 'no' | 'when-long' | 'at-once' | 'refused';

export interface TaskStart {
  readonly tool: string;
  readonly params: JsonObject;
  readonly caller: Caller;
  begin(signal: AbortSignal): { readonly first: Promise<Answer>; readonly attempt: Attempt };
  finish(first: Promise<Answer>, attempt: Attempt): Promise<Reply>;
  readonly atOnce: boolean;
}

/** The part of tasks that `tools/call` needs. */
export interface TaskCalls {
  wanted(tool: string, params: JsonObject, caller: Caller): TaskWish;
  refusal(caller: Caller): Reply;
  start(call: TaskStart): Promise<Reply>;
}

/** What a modern client must declare to have anything to do with tasks. */
export const tasksUndeclared = refusal(
  rpcError(codes.missingCapability, 'This needs the tasks extension', {
    requiredCapabilities: { extensions: { [tasksExtension]: {} } },
  }),
);
const tasksUnsupported = refusal(
  rpcError(codes.methodNotFound, 'The tool cannot be called this way; see its execution.taskSupport'),
);

/** Decides which calls become tasks; a call that ends within `graceMs` is simply answered. */
export function taskCalls(tasks: Tasks, tools: ToolIndex, encode: Encoder, graceMs: number): TaskCalls {
  return {
    wanted(name, params, { view, features, capabilities }) {
      const asked = features.coreTasks && params['task'] !== undefined;
      const support = tools.find(view, name)?.tasks ?? 'forbidden';
      if (support === 'forbidden') return asked ? 'refused' : 'no';
      if (features.modern) return declaresTasks(capabilities) ? 'when-long' : support === 'required' ? 'refused' : 'no';
      if (asked) return isObject(params['task']) ? 'at-once' : 'refused';
      return features.coreTasks && support === 'required' ? 'refused' : 'no';
    },
    refusal: ({ features }) => (features.modern ? tasksUndeclared : tasksUnsupported),
    async start({ tool, params, caller, begin, finish, atOnce }) {
      const controller = new AbortController();
      const hangUp = (): void => controller.abort();
      if (caller.signal.aborted) hangUp();
      caller.signal.addEventListener('abort', hangUp, { once: true });
      const { first, attempt } = begin(controller.signal);
      if (!atOnce && (await endsWithin(first, graceMs)))
        return finish(first, attempt).finally(() => caller.signal.removeEventListener('abort', hangUp));
      const wish = isObject(params['task']) ? params['task']['ttl'] : undefined;
      const ttlMs = Number.isSafeInteger(wish) && Number(wish) > 0 ? { ttlMs: Number(wish) } : {};
      const record = await tasks.adopt({ owner: ownerOf(caller.view), tool, ...ttlMs }, first, attempt, controller);
      // Without room for a task the caller waits, as it would for any other call.
      if (!record) return finish(first, attempt).finally(() => caller.signal.removeEventListener('abort', hangUp));
      caller.signal.removeEventListener('abort', hangUp);
      const { features } = caller;
      return {
        result: features.modern
          ? encode.result({ resultType: 'task', ...toModernTask(record) }, features)
          : encode.result({ task: toLegacyTask(record) }, features),
      };
    },
  };
}

function endsWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ms);
    const end = (): void => {
      clearTimeout(timer);
      resolve(true);
    };
    work.then(end, end);
  });
}
