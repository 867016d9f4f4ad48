import { ownerOf, type ChangedList } from '../../core/gateway.js';
import type { Json, JsonObject } from '../../core/json.js';
import { rpcCodes, rpcError } from '../../wire/codes.js';
import { encodeId } from '../../wire/id.js';
import type { Id } from '../../wire/id.js';
import { isJsonObject } from '../../wire/message.js';
import type { RpcRequest } from '../../wire/message.js';
import { metaKeys } from '../../wire/meta.js';
import { declaresTasks } from './capabilities.js';
import { refusal } from './request-context.js';
import type { RequestContext, Reply } from './request-context.js';
import { listChangedMethod } from './change-broadcaster.js';
import type { ChangeBroadcaster } from './change-broadcaster.js';
import type { McpDispatcher } from './dispatcher.js';
import type { MessageSink } from './message-sink.js';
import { toCallRequest } from './methods/call-methods.js';
import { toModernTask } from './tasks/encode-task.js';

/** Limits of open subscriptions, in total and per principal, and of resources per subscription. */
interface SubscriptionLimits {
  readonly subscriptions: number;
  /** Keeps one principal from using up all subscriptions. */
  readonly perOwner: number;
  readonly resources: number;
}

/** Long-lived `subscriptions/listen` requests of modern clients. */
export interface Subscriptions {
  /** Acknowledges, sends notifications, and resolves on disconnect or `close`. */
  serve(request: RpcRequest, context: RequestContext, sink: MessageSink): Promise<Reply>;
  readonly open: number;
  close(): void;
}

/** Filter names of the protocol and the lists they select. */
const listFilters: readonly (readonly [string, ChangedList])[] = [
  ['toolsListChanged', 'tools'],
  ['promptsListChanged', 'prompts'],
  ['resourcesListChanged', 'resources'],
];

/** Texts of a list; anything else in it is ignored. */
const stringItems = (value: Json | undefined): readonly string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];

/** Serialises a notification with the id of its subscription; encodeId keeps ids beyond double precision exact. */
function taggedNotification(id: Id, method: string, params: JsonObject = {}): string {
  const rest = JSON.stringify(params).slice(1, -1);
  return `{"jsonrpc":"2.0","method":"${method}","params":{${rest}${rest === '' ? '' : ','}"_meta":{"${metaKeys.subscriptionId}":${encodeId(id)}}}}`;
}

/** Table of open subscriptions. */
export function subscriptionTable(
  dispatcher: McpDispatcher,
  broadcaster: ChangeBroadcaster,
  limits: SubscriptionLimits = { subscriptions: 1_024, perOwner: 256, resources: 256 },
): Subscriptions {
  // Keyed by the function that ends it, so that no further id is needed.
  const open = new Map<() => void, string>();

  return {
    get open() {
      return open.size;
    },
    close() {
      for (const end of open.keys()) end();
    },
    async serve({ id, params }, context, sink) {
      const filter = params['notifications'];
      if (!isJsonObject(filter))
        return refusal(rpcError(rpcCodes.invalidParams, 'params.notifications must be an object'));
      const owner = context.view.principal.id;
      const ownCount = [...open.values()].filter((holder) => holder === owner).length;
      if (open.size >= limits.subscriptions || ownCount >= limits.perOwner)
        return refusal(rpcError(rpcCodes.internalError, 'Too many subscriptions are open'));
      const { gateway, tasks } = dispatcher;
      // Counted from the start: the guarded calls below take time, in which one caller could begin more than its share.
      const reservation = (): void => {};
      open.set(reservation, owner);
      const lists = listFilters.filter(([name]) => filter[name] === true);
      const listKinds = new Set(lists.map(([, what]) => what));
      const stops: (() => void)[] = [];
      const request = toCallRequest('resources/subscribe', {}, params, context, context.signal);
      // Duplicates count once, and the bound applies before any guarded call runs.
      const wanted = [...new Set(stringItems(filter['resourceSubscriptions']))].slice(0, limits.resources);
      // Each is a guarded call; only those that the guards and the source accepted are acknowledged. There is no way to ask here.
      const answers = await Promise.all(
        wanted.map((uri) =>
          gateway.subscribe({
            ...request,
            uri,
            changed: () => sink.send(taggedNotification(id, 'notifications/resources/updated', { uri })),
          }),
        ),
      );
      stops.push(...answers.map(({ stop }) => stop));
      // Partial success is normal: what could not be subscribed is missing from the acknowledgement.
      const uris = wanted.filter((_, index) => answers[index]?.outcome.kind === 'done');
      // Foreign and unknown task ids are dropped silently, so that they cannot be probed.
      const requestedTasks = declaresTasks(context.capabilities)
        ? stringItems(filter['taskIds']).slice(0, limits.resources)
        : [];
      const records = await Promise.all(requestedTasks.map((task) => tasks.get(task, ownerOf(context.view))));
      const taskIds = new Set(records.flatMap((record) => (record ? [record.id] : [])));

      // Acknowledged before the listeners are added, so that it is the first message on the stream.
      sink.send(
        taggedNotification(id, 'notifications/subscriptions/acknowledged', {
          notifications: {
            ...Object.fromEntries(lists.map(([name]) => [name, true])),
            ...(uris.length > 0 && { resourceSubscriptions: uris }),
            ...(taskIds.size > 0 && { taskIds: [...taskIds] }),
          },
        }),
      );
      stops.push(
        broadcaster.subscribe(
          (what) => listKinds.has(what) && sink.send(taggedNotification(id, listChangedMethod(what))),
        ),
      );
      stops.push(
        tasks.onChange(
          (record) =>
            taskIds.has(record.id) && sink.send(taggedNotification(id, 'notifications/tasks', toModernTask(record))),
        ),
      );

      // Stays open until the client disconnects or the gateway stops.
      await new Promise<void>((resolve) => {
        const end = (): void => {
          open.delete(end);
          context.signal.removeEventListener('abort', end);
          resolve();
        };
        open.delete(reservation);
        open.set(end, owner);
        context.signal.addEventListener('abort', end, { once: true });
        // The client may have gone while the guarded calls ran.
        if (context.signal.aborted) end();
      });
      // On every way out, or subscriptions of gone clients would pile up.
      for (const stop of stops) stop();
      const emptyResult = dispatcher.encode.result({}, context.features);
      return { result: emptyResult.replace(`"_meta":{`, `"_meta":{"${metaKeys.subscriptionId}":${encodeId(id)},`) };
    },
  };
}
