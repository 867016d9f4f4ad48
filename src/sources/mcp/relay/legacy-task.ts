import type { JsonObject } from '../../../core/json.js';
import { isJsonObject } from '../../../wire/message.js';
import { failedReply } from '../../../wire/reply.js';
import type { Reply } from '../../../wire/reply.js';
import { sendRequest, timeoutOf } from './upstream-request.js';
import type { Delivery } from './upstream-request.js';

const cancelMs = 30_000;
const maxTaskIdLength = 1_024;

/** Whether a call must be sent as a task of 2025-11-25: the only legacy revision that has them. */
export const isLegacyTask = ({ request, session: { peer } }: Delivery): boolean =>
  request.requiresTask === true && !peer.modern && isJsonObject(peer.capabilities['tasks']);

/**
 * Runs a call as a task of 2025-11-25: the server answers with a task, and `tasks/result` waits for its end. Requests of the server
 * arrive while it waits, as in a plain call. The task is cancelled if the call ends first.
 */
export async function runLegacyTask(delivery: Delivery, signal: AbortSignal): Promise<Reply> {
  const { call, session, listener } = delivery;
  const ttl = timeoutOf(call);
  const created = await sendRequest(delivery, signal, { task: { ttl } });
  if (!('result' in created)) return created;
  const { task } = created.result;
  // A server may answer at once although a task was requested.
  if (task === undefined) return created;
  const taskId = taskIdOf(task);
  if (taskId === undefined) return failedReply('protocol', 'The server answered with a task that has no usable id');
  const reply = await session.request('tasks/result', { taskId }, { timeoutMs: ttl, signal, listener });
  if ('failure' in reply && (reply.failure.kind === 'cancelled' || reply.failure.kind === 'timeout'))
    void session.request('tasks/cancel', { taskId }, { timeoutMs: cancelMs });
  return reply;
}

function taskIdOf(task: unknown): string | undefined {
  const { taskId }: JsonObject = isJsonObject(task) ? task : {};
  return typeof taskId === 'string' && taskId !== '' && taskId.length <= maxTaskIdLength ? taskId : undefined;
}
