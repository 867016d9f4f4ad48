import { ownerOf } from '../../core/gateway.js';
import type { Json, JsonObject } from '../../core/json.js';
import { codes, rpcError } from '../../wire/codes.js';
import { metaKeys } from '../../wire/meta.js';
import { declaresTasks } from './capabilities.js';
import { refusal } from './caller.js';
import type { Caller, Reply } from './caller.js';
import type { Runner } from './calls.js';
import type { Encoder } from './encode.js';
import { answersOf, askAll } from './questions.js';
import { tasksUndeclared } from './task-calls.js';
import type { TaskRecord } from './task-store.js';
import { toLegacyTask, toModernTask } from './task-wire.js';
import { isTerminal } from './tasks.js';
import type { Tasks } from './tasks.js';

const unknownTask = refusal(rpcError(codes.invalidParams, 'Unknown task'));

type ForTask = (id: string, owner: string, params: JsonObject, caller: Caller) => Promise<Reply>;

const withTask =
  (answer: ForTask): Runner =>
  async (params, caller) => {
    const { taskId } = params;
    return typeof taskId === 'string' ? answer(taskId, ownerOf(caller.view), params, caller) : unknownTask;
  };

/** How a finished call reads on the wire, parsed so that it can stand inside another result. */
function ended({ answer }: TaskRecord, caller: Caller, encode: Encoder): JsonObject {
  if (!answer) return {};
  const reply = encode.call({ ...answer, durationMs: 0 }, caller.features);
  if ('error' in reply) return { error: reply.error as unknown as JsonObject }; // an RpcError is JSON
  return { result: JSON.parse(reply.result.toString()) as Json };
}

/** The methods of the 2026 tasks extension. */
export function modernTaskMethods(tasks: Tasks, encode: Encoder): Readonly<Record<string, Runner>> {
  const declared = (answer: ForTask): Runner => {
    const run = withTask(answer);
    return async (params, caller) => (declaresTasks(caller.capabilities) ? run(params, caller) : tasksUndeclared);
  };
  return {
    'tasks/get': declared(async (id, owner, _params, caller) => {
      const record = await tasks.get(id, owner);
      if (!record) return unknownTask;
      const asks = record.asks && { inputRequests: record.asks as unknown as JsonObject }; // asks are JSON by their types
      return {
        result: encode.result({ ...toModernTask(record), ...asks, ...ended(record, caller, encode) }, caller.features),
      };
    }),
    'tasks/update': declared(async (id, owner, params, { features }) => {
      const answers = answersOf(params['inputResponses'] ?? {});
      if (!answers) return refusal(rpcError(codes.invalidParams, 'inputResponses must be an object of objects'));
      return (await tasks.update(id, owner, answers)) ? { result: encode.result({}, features) } : unknownTask;
    }),
    'tasks/cancel': declared(async (id, owner, _params, { features }) =>
      (await tasks.cancel(id, owner)) ? { result: encode.result({}, features) } : unknownTask,
    ),
  };
}

/** The experimental task methods of 2025-11-25. */
export function legacyTaskMethods(tasks: Tasks, encode: Encoder): Readonly<Record<string, Runner>> {
  return {
    'tasks/get': withTask(async (id, owner, _params, { features }) => {
      const record = await tasks.get(id, owner);
      return record ? { result: encode.result(toLegacyTask(record), features) } : unknownTask;
    }),
    'tasks/list': async (_params, { view, features }) => ({
      result: encode.result({ tasks: (await tasks.list(ownerOf(view))).map(toLegacyTask) }, features),
    }),
    'tasks/cancel': withTask(async (id, owner, _params, { features }) => {
      const before = await tasks.get(id, owner);
      if (!before) return unknownTask;
      if (isTerminal(before)) return refusal(rpcError(codes.invalidParams, 'The task has ended already'));
      const record = await tasks.cancel(id, owner);
      return record ? { result: encode.result(toLegacyTask(record), features) } : unknownTask;
    }),
    'tasks/result': withTask(async (id, owner, _params, caller) => {
      let record = await tasks.get(id, owner);
      while (record && !isTerminal(record) && !caller.signal.aborted) {
        if (record.status === 'input_required' && record.asks && caller.ask) {
          const answers = await askAll(record.asks, relatedTo(id, caller));
          if (answers) await tasks.update(id, owner, answers);
          else await tasks.cancel(id, owner);
        } else await tasks.changed(id, caller.signal);
        record = await tasks.get(id, owner);
      }
      if (!record) return unknownTask;
      const { result, error } = ended(record, caller, encode);
      if (error !== undefined) return { error: error as unknown as { code: number; message: string } }; // as encoded above
      if (result === undefined) return refusal(rpcError(codes.invalidParams, 'The task was cancelled'));
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

/** The same caller, asked with a note saying which task the question belongs to. */
const relatedTo = (taskId: string, caller: Caller): Caller => {
  const { ask } = caller;
  if (!ask) return caller;
  return {
    ...caller,
    ask: (method, params, options) =>
      ask(method, { ...params, _meta: { [metaKeys.relatedTask]: { taskId } } }, options),
  };
};
