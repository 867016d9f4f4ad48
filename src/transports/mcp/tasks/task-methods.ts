import { ownerOf } from '../../../core/gateway.js';
import type { Json, JsonObject } from '../../../core/json.js';
import { rpcCodes, rpcError } from '../../../wire/codes.js';
import { metaKeys } from '../../../wire/meta.js';
import { declaresTasks } from '../capabilities.js';
import { refusal } from '../request-context.js';
import type { RequestContext, Reply } from '../request-context.js';
import type { CallMethod } from '../methods/call-methods.js';
import type { Encoder } from '../methods/encode-result.js';
import { readAnswers, askAll } from '../methods/client-questions.js';
import { tasksUndeclared } from './task-calls.js';
import type { TaskAnswer } from './task-store.js';
import { toLegacyTask, toModernTask } from './encode-task.js';
import { isTerminal } from './task-runner.js';
import type { TaskRunner } from './task-runner.js';

/** The same error for unknown and foreign tasks, so that task ids cannot be probed. */
const unknownTask = refusal(rpcError(rpcCodes.invalidParams, 'Unknown task'));

type TaskMethod = (id: string, owner: string, params: JsonObject, context: RequestContext) => Promise<Reply>;

/** Wraps a handler with the validation of `taskId`. */
const taskMethod =
  (answer: TaskMethod): CallMethod =>
  async (params, context) => {
    const { taskId } = params;
    return typeof taskId === 'string' ? answer(taskId, ownerOf(context.view), params, context) : unknownTask;
  };

/** Encodes the answer of a finished call as JSON, to be embedded in a task result. */
function encodeTaskAnswer(answer: TaskAnswer | undefined, context: RequestContext, encode: Encoder): JsonObject {
  if (!answer) return {};
  const reply = encode.call({ ...answer, durationMs: 0 }, context.features);
  if ('error' in reply) return { error: reply.error as unknown as JsonObject }; // an RpcError is JSON
  return { result: JSON.parse(reply.result.toString()) as Json };
}

/** Methods of the 2026 tasks extension. */
export function modernTaskMethods(tasks: TaskRunner, encode: Encoder): Readonly<Record<string, CallMethod>> {
  const requireExtension = (answer: TaskMethod): CallMethod => {
    const run = taskMethod(answer);
    return async (params, context) => (declaresTasks(context.capabilities) ? run(params, context) : tasksUndeclared);
  };
  return {
    'tasks/get': requireExtension(async (id, owner, _params, context) => {
      const record = await tasks.get(id, owner);
      if (!record) return unknownTask;
      const asks = record.asks && { inputRequests: record.asks as unknown as JsonObject }; // asks are plain JSON
      return {
        result: encode.result(
          { ...toModernTask(record), ...asks, ...encodeTaskAnswer(await tasks.answer(id, owner), context, encode) },
          context.features,
        ),
      };
    }),
    'tasks/update': requireExtension(async (id, owner, params, { features }) => {
      const answers = readAnswers(params['inputResponses'] ?? {});
      if (!answers) return refusal(rpcError(rpcCodes.invalidParams, 'inputResponses must be an object of objects'));
      return (await tasks.update(id, owner, answers)) ? { result: encode.result({}, features) } : unknownTask;
    }),
    'tasks/cancel': requireExtension(async (id, owner, _params, { features }) =>
      (await tasks.cancel(id, owner)) ? { result: encode.result({}, features) } : unknownTask,
    ),
  };
}

/** Experimental task methods of 2025-11-25. */
export function legacyTaskMethods(tasks: TaskRunner, encode: Encoder): Readonly<Record<string, CallMethod>> {
  return {
    'tasks/get': taskMethod(async (id, owner, _params, { features }) => {
      const record = await tasks.get(id, owner);
      return record ? { result: encode.result(toLegacyTask(record), features) } : unknownTask;
    }),
    'tasks/list': async (_params, { view, features }) => ({
      result: encode.result({ tasks: (await tasks.list(ownerOf(view))).map(toLegacyTask) }, features),
    }),
    'tasks/cancel': taskMethod(async (id, owner, _params, { features }) => {
      const before = await tasks.get(id, owner);
      if (!before) return unknownTask;
      if (isTerminal(before)) return refusal(rpcError(rpcCodes.invalidParams, 'The task has already ended'));
      const record = await tasks.cancel(id, owner);
      return record ? { result: encode.result(toLegacyTask(record), features) } : unknownTask;
    }),
    // Blocks until the task ends; open questions are sent to the client meanwhile.
    'tasks/result': taskMethod(async (id, owner, _params, context) => {
      let record = await tasks.get(id, owner);
      while (record && !isTerminal(record) && !context.signal.aborted) {
        if (record.status === 'input_required' && record.asks && context.ask) {
          const answers = await askAll(record.asks, withRelatedTask(id, context));
          if (answers) await tasks.update(id, owner, answers);
          else await tasks.cancel(id, owner);
        } else await tasks.waitForChange(id, context.signal);
        record = await tasks.get(id, owner);
      }
      if (!record) return unknownTask;
      const { result, error } = encodeTaskAnswer(await tasks.answer(id, owner), context, encode);
      if (error !== undefined) return { error: error as unknown as { code: number; message: string } }; // as encoded above
      if (result === undefined) return refusal(rpcError(rpcCodes.invalidParams, 'The task was cancelled'));
      const body = result as JsonObject;
      return {
        result: JSON.stringify({
          ...body,
          _meta: { ...(body['_meta'] as JsonObject | undefined), [metaKeys.relatedTask]: { taskId: id } },
        }),
      };
    }),
  };
}

/** Context whose questions carry the id of the related task. */
const withRelatedTask = (taskId: string, context: RequestContext): RequestContext => {
  const { ask } = context;
  if (!ask) return context;
  return {
    ...context,
    ask: (method, params, options) =>
      ask(method, { ...params, _meta: { [metaKeys.relatedTask]: { taskId } } }, options),
  };
};
