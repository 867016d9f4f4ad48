import type { Json, JsonObject } from '../../core/json.js';
import { codes, rpcError } from '../../wire/codes.js';
import type { RpcError } from '../../wire/codes.js';
import { isObject } from '../../wire/message.js';
import { tasksExtension } from '../../wire/meta.js';
import type { RpcReply } from '../../wire/pending.js';

/** What is said to a server about a call that it may make a task of. */
export const tasksDeclared: JsonObject = { extensions: { [tasksExtension]: {} } };

/** Whether a server wants no less than a task; it has not looked at the call then. */
export function wantsTask({ code, data }: RpcError): boolean {
  const required = data?.['requiredCapabilities'];
  const extensions = isObject(required) ? required['extensions'] : undefined;
  return code === codes.missingCapability && isObject(extensions) && Object.hasOwn(extensions, tasksExtension);
}

/** One request about the task, in the conversation it was made in. */
export type AskAboutTask = (
  method: 'tasks/get' | 'tasks/update' | 'tasks/cancel',
  params: JsonObject,
) => Promise<RpcReply>;

/** How a task ended: as the call itself would have, or with a question that must be answered to the task. */
export type TaskEnd = { readonly reply: RpcReply } | { readonly question: JsonObject; readonly taskId: string };

const firstPollMs = 50;
const longestPollMs = 5_000;
const maxTaskId = 1_024;

const failure = (message: string): TaskEnd => ({ reply: { error: rpcError(codes.internalError, message) } });

/** Follows a task until it is over or asks something; a caller who goes has it cancelled. */
export async function followTask(given: JsonObject, ask: AskAboutTask, signal: AbortSignal): Promise<TaskEnd> {
  const { taskId } = given;
  if (typeof taskId !== 'string' || taskId === '' || taskId.length > maxTaskId)
    return failure('The server answered with a task that has no usable id');
  let task = given;
  for (
    let pollMs = firstPollMs;
    task['status'] === 'working';
    pollMs = Math.min(2 * pollMs, pollOf(task['pollIntervalMs']))
  ) {
    if (!(await waited(pollMs, signal))) {
      void ask('tasks/cancel', { taskId });
      return failure('Cancelled');
    }
    const reply = await ask('tasks/get', { taskId });
    if ('error' in reply) return { reply };
    task = reply.result;
  }
  return ended(task, taskId);
}

/** Hands the answers to a task that asked, and follows it on. */
export async function answerTask(
  taskId: string,
  inputResponses: JsonObject,
  ask: AskAboutTask,
  signal: AbortSignal,
): Promise<TaskEnd> {
  const taken = await ask('tasks/update', { taskId, inputResponses });
  if ('error' in taken) return { reply: taken };
  return followTask({ taskId, status: 'working' }, ask, signal);
}

function ended({ status, result, error, inputRequests }: JsonObject, taskId: string): TaskEnd {
  if (status === 'completed' && isObject(result)) return { reply: { result } };
  if (status === 'input_required')
    return { question: { resultType: 'input_required', inputRequests: inputRequests ?? {} }, taskId };
  if (status === 'cancelled') return failure('The server cancelled the task');
  if (
    status === 'failed' &&
    isObject(error) &&
    Number.isInteger(error['code']) &&
    typeof error['message'] === 'string'
  ) {
    return {
      reply: {
        error: rpcError(Number(error['code']), error['message'], isObject(error['data']) ? error['data'] : undefined),
      },
    };
  }
  return failure('The server ended the task without a result');
}

const pollOf = (given: Json | undefined): number =>
  typeof given === 'number' && given > 0 ? Math.min(Math.max(given, firstPollMs), longestPollMs) : longestPollMs;

/** False where the signal fired first. */
function waited(ms: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const end = (whole: boolean): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      resolve(whole);
    };
    const onAbort = (): void => end(false);
    const timer = setTimeout(() => end(true), ms);
    signal.addEventListener('abort', onAbort, { once: true });
  });
}
