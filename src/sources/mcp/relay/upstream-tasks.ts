import type { Json, JsonObject } from '../../../core/json.js';
import { rpcCodes, rpcError } from '../../../wire/codes.js';
import type { RpcError } from '../../../wire/codes.js';
import { isJsonObject } from '../../../wire/message.js';
import { tasksExtension } from '../../../wire/meta.js';
import { failedReply } from '../../../wire/reply.js';
import type { Reply } from '../../../wire/reply.js';
import { pause } from '../../../lib/pause.js';

/** Client capability that lets a server run a call as a task. */
export const taskCapabilities: JsonObject = { extensions: { [tasksExtension]: {} } };

/** Whether the server rejected the call because it runs this tool only as a task. */
export function requiresTask({ code, data }: RpcError): boolean {
  const required = data?.['requiredCapabilities'];
  const extensions = isJsonObject(required) ? required['extensions'] : undefined;
  return code === rpcCodes.missingCapability && isJsonObject(extensions) && Object.hasOwn(extensions, tasksExtension);
}

/** Sends a request about a task, in the session that created it. */
export type TaskRequest = (method: 'tasks/get' | 'tasks/update' | 'tasks/cancel', params: JsonObject) => Promise<Reply>;

/** Result of a task: the reply of the call, or an input request that must be answered to the task. */
export type TaskEnd = { readonly reply: Reply } | { readonly question: JsonObject; readonly taskId: string };

const firstPollMs = 50;
const maxPollMs = 5_000;
const maxTaskIdLength = 1_024;

/** A task that the server did not run to its end; the server answered, so this is its error. */
const taskError = (message: string): TaskEnd => ({ reply: { error: rpcError(rpcCodes.internalError, message) } });

/** Polls a task until it ends or requests input; cancels it if the caller aborts. */
export async function followTask(given: JsonObject, ask: TaskRequest, signal: AbortSignal): Promise<TaskEnd> {
  const { taskId } = given;
  if (typeof taskId !== 'string' || taskId === '' || taskId.length > maxTaskIdLength)
    return { reply: failedReply('protocol', 'The server answered with a task that has no usable id') };
  let task = given;
  for (
    let pollMs = firstPollMs;
    task['status'] === 'working';
    pollMs = Math.min(2 * pollMs, pollInterval(task['pollIntervalMs']))
  ) {
    if (!(await pause(pollMs, signal))) {
      void ask('tasks/cancel', { taskId });
      return { reply: failedReply('cancelled', 'Cancelled') };
    }
    const reply = await ask('tasks/get', { taskId });
    if (!('result' in reply)) return { reply };
    task = reply.result;
  }
  return toTaskEnd(task, taskId);
}

/** Sends the answers to a task and continues polling. */
export async function answerTask(
  taskId: string,
  inputResponses: JsonObject,
  ask: TaskRequest,
  signal: AbortSignal,
): Promise<TaskEnd> {
  const updateReply = await ask('tasks/update', { taskId, inputResponses });
  if (!('result' in updateReply)) return { reply: updateReply };
  return followTask({ taskId, status: 'working' }, ask, signal);
}

function toTaskEnd({ status, result, error, inputRequests }: JsonObject, taskId: string): TaskEnd {
  if (status === 'completed' && isJsonObject(result)) return { reply: { result } };
  if (status === 'input_required')
    return { question: { resultType: 'input_required', inputRequests: inputRequests ?? {} }, taskId };
  if (status === 'cancelled') return taskError('The server cancelled the task');
  if (
    status === 'failed' &&
    isJsonObject(error) &&
    Number.isInteger(error['code']) &&
    typeof error['message'] === 'string'
  ) {
    return {
      reply: {
        error: rpcError(
          Number(error['code']),
          error['message'],
          isJsonObject(error['data']) ? error['data'] : undefined,
        ),
      },
    };
  }
  return taskError('The server ended the task without a result');
}

const pollInterval = (given: Json | undefined): number =>
  typeof given === 'number' && given > 0 ? Math.min(Math.max(given, firstPollMs), maxPollMs) : maxPollMs;
