import type { Call } from '../../../core/call.js';
import type { RpcError } from '../../../wire/codes.js';
import type { CarriedState } from './carried-state.js';
import { answerTask, followTask, requiresTask, taskCapabilities } from './upstream-tasks.js';
import type { TaskEnd, TaskRequest } from './upstream-tasks.js';
import { sendRequest } from './upstream-request.js';
import type { Delivery, UpstreamRequest } from './upstream-request.js';

const taskRequestMs = 30_000;

/** Calls of tools that a modern server runs only as tasks. */
export function taskCalls() {
  const taskOnlyTools = new Set<unknown>();
  return {
    isTask: (call: Call, { params }: UpstreamRequest, state: CarriedState | undefined): boolean =>
      state?.task !== undefined || (taskOnlyTools.has(params['name']) && call.back?.withoutTasks !== true),
    /** Learns from an error that a tool needs a task; true if the call should be sent again as one. */
    learn(call: Call, { params }: UpstreamRequest, error: RpcError): boolean {
      if (call.back?.withoutTasks === true || !requiresTask(error)) return false;
      taskOnlyTools.add(params['name']);
      return true;
    },
    /** Sends a call that the server may run as a task, and polls the task. */
    async run(delivery: Delivery): Promise<TaskEnd> {
      const { call, session, state } = delivery;
      const capabilities = { ...delivery.capabilities, ...taskCapabilities };
      const sendTaskRequest: TaskRequest = (method, params) =>
        session.request(method, params, { timeoutMs: taskRequestMs, capabilities });
      if (state?.task !== undefined)
        return answerTask(state.task, call.confirmation?.answers ?? {}, sendTaskRequest, call.signal);
      const reply = await sendRequest({ ...delivery, capabilities }, call.signal);
      return 'result' in reply && reply.result['resultType'] === 'task'
        ? followTask(reply.result, sendTaskRequest, call.signal)
        : { reply };
    },
  };
}
