import { ownerOf, type Changed } from '../../core/gateway.js';
import type { Json, JsonObject } from '../../core/json.js';
import { codes, rpcError } from '../../wire/codes.js';
import { encodeId } from '../../wire/id.js';
import type { Id } from '../../wire/id.js';
import { isObject } from '../../wire/message.js';
import type { RpcRequest } from '../../wire/message.js';
import { metaKeys } from '../../wire/meta.js';
import { declaresTasks } from './capabilities.js';
import { refusal } from './caller.js';
import type { Caller, Reply } from './caller.js';
import { listChanged } from './changes.js';
import type { Changes } from './changes.js';
import type { Protocol } from './methods.js';
import type { Outlet } from './outlet.js';
import { toModernTask } from './task-wire.js';

export interface ListenLimits {
  readonly subscriptions: number;
  /** One principal cannot take what everybody needs. */
  readonly perOwner: number;
  readonly resources: number;
}

/** Long-lived subscriptions of modern clients. */
export interface Listens {
  /** Acknowledges, notifies, and settles when the client goes or `close` ends everything. */
  serve(request: RpcRequest, caller: Caller, outlet: Outlet): Promise<Reply>;
  readonly open: number;
  close(): void;
}

const wishes: readonly (readonly [string, Changed])[] = [
  ['toolsListChanged', 'tools'],
  ['promptsListChanged', 'prompts'],
  ['resourcesListChanged', 'resources'],
];

const strings = (value: Json | undefined): readonly string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];

/** Notifications carry the id of their subscription, digit for digit as the client chose it. */
function tagged(id: Id, method: string, params: JsonObject = {}): string {
  const rest = JSON.stringify(params).slice(1, -1);
  return `{"jsonrpc":"2.0","method":"${method}","params":{${rest}${rest === '' ? '' : ','}"_meta":{"${metaKeys.subscriptionId}":${encodeId(id)}}}}`;
}

export function listens(
  protocol: Protocol,
  changes: Changes,
  limits: ListenLimits = { subscriptions: 1_024, perOwner: 256, resources: 256 },
): Listens {
  const open = new Map<() => void, string>();

  return {
    get open() {
      return open.size;
    },
    close() {
      for (const end of open.keys()) end();
    },
    async serve({ id, params }, caller, outlet) {
      const filter = params['notifications'];
      if (!isObject(filter)) return refusal(rpcError(codes.invalidParams, 'params.notifications must be an object'));
      const owner = caller.view.principal.id;
      const own = [...open.values()].filter((each) => each === owner).length;
      if (open.size >= limits.subscriptions || own >= limits.perOwner)
        return refusal(rpcError(codes.internalError, 'Too many subscriptions are open'));
      const { gateway, tasks } = protocol;
      const lists = wishes.filter(([name]) => filter[name] === true);
      const wanted = new Set(lists.map(([, what]) => what));
      const stops: (() => void)[] = [];
      const uris = strings(filter['resourceSubscriptions'])
        .slice(0, limits.resources)
        .filter((uri) => {
          const stop = gateway.watch(caller.view, uri, () =>
            outlet.send(tagged(id, 'notifications/resources/updated', { uri })),
          );
          if (stop) stops.push(stop);
          return stop !== undefined;
        });
      const asked = declaresTasks(caller.capabilities) ? strings(filter['taskIds']).slice(0, limits.resources) : [];
      const known = await Promise.all(asked.map((task) => tasks.get(task, ownerOf(caller.view))));
      const taskIds = new Set(known.flatMap((record) => (record ? [record.id] : [])));

      outlet.send(
        tagged(id, 'notifications/subscriptions/acknowledged', {
          notifications: {
            ...Object.fromEntries(lists.map(([name]) => [name, true])),
            ...(uris.length > 0 && { resourceSubscriptions: uris }),
            ...(taskIds.size > 0 && { taskIds: [...taskIds] }),
          },
        }),
      );
      stops.push(changes.subscribe((what) => wanted.has(what) && outlet.send(tagged(id, listChanged(what)))));
      stops.push(
        tasks.onChange(
          (record) => taskIds.has(record.id) && outlet.send(tagged(id, 'notifications/tasks', toModernTask(record))),
        ),
      );

      await new Promise<void>((resolve) => {
        const end = (): void => {
          open.delete(end);
          caller.signal.removeEventListener('abort', end);
          resolve();
        };
        open.set(end, owner);
        caller.signal.addEventListener('abort', end, { once: true });
        if (caller.signal.aborted) end();
      });
      for (const stop of stops) stop();
      const signed = protocol.encode.result({}, caller.features);
      return { result: signed.replace(`"_meta":{`, `"_meta":{"${metaKeys.subscriptionId}":${encodeId(id)},`) };
    },
  };
}
