import type { GuardedCall } from '../core/call.js';
import type { CompletionRequest } from '../core/gateway.js';
import type { Json } from '../core/json.js';
import type { Outcome } from '../core/outcome.js';
import { done, refuse } from '../core/outcome.js';
import type { Complete, Prompt, Resource, ResourceTemplate, StoredItems } from '../core/prompt.js';
import type { Principal } from '../core/principal.js';
import { standIn } from '../core/stand-in.js';
import type { Subscribe } from '../core/subscription.js';
import { subscribeOperation } from '../core/subscription.js';
import type { Handler, Operation, Tool } from '../core/tool.js';
import type { CallRuntime, Snapshot } from './snapshot.js';

/** Handlers of everything that can be called, each behind all guards. */
export interface GuardedItems {
  tool(at: Snapshot, tool: Tool): Handler;
  prompt(at: Snapshot, prompt: Prompt): Handler;
  resource(at: Snapshot, resource: Resource | ResourceTemplate, read: Operation): Handler;
  /** A stored result, under the labels of the tool that produced it. */
  stored(at: Snapshot, origin: Tool, template: ResourceTemplate, items: StoredItems, read: Operation): Handler;
  completion(at: Snapshot, item: Prompt | ResourceTemplate, complete: Complete): Handler;
  /** The tool as which a subscription passes the guards. */
  subscriptionTool(item: Resource | ResourceTemplate, subscribe: Subscribe): Tool;
}

/** Rate of one caller; enough for a client that subscribes to a whole list after it connects. */
const subscriptionsPerMinute = 600;

/** Composes the guards once per item and runtime; the WeakMaps drop a handler with either. */
export function guardedItems(fullReason: (principal: Principal) => string | undefined): GuardedItems {
  const composed = new WeakMap<CallRuntime, WeakMap<object, Handler>>();
  const handlerOf = ({ runtime }: Snapshot, key: object, tool: () => Tool): Handler => {
    let handlers = composed.get(runtime);
    if (handlers === undefined) composed.set(runtime, (handlers = new WeakMap()));
    let handler = handlers.get(key);
    if (handler === undefined) {
      handler = runtime.wire(tool());
      handlers.set(key, handler);
    }
    return handler;
  };
  const guardedTool: GuardedItems['tool'] = (at, tool) => handlerOf(at, tool, () => tool);
  const storedTools = toolCache();
  const completionTools = toolCache();
  const subscriptionTools = toolCache();

  return {
    tool: guardedTool,
    prompt: (at, prompt) => handlerOf(at, prompt, () => standIn('prompts/get', prompt, prompt.get)),
    resource: (at, resource, read) => handlerOf(at, resource, () => standIn('resources/read', resource, read)),
    stored: (at, origin, template, { maxOutputBytes }, read) =>
      guardedTool(
        at,
        storedTools(origin, () => ({
          ...standIn('resources/read', template, read, { maxOutputBytes }),
          labelledAs: origin,
        })),
      ),
    completion: (at, item, complete) =>
      guardedTool(
        at,
        completionTools(item, () => standIn('completion/complete', item, completionHandler(complete))),
      ),
    subscriptionTool: (item, subscribe) =>
      subscriptionTools(item, () => ({
        ...standIn('resources/subscribe', item, limited(subscribe, fullReason), {
          ratePerMinute: subscriptionsPerMinute,
        }),
        ruledAs: 'resources/read',
      })),
  };
}

/** Stand-in tools by the item behind them, which they do not outlive. */
function toolCache(): (item: object, create: () => Tool) => Tool {
  const tools = new WeakMap<object, Tool>();
  return (item, create) => {
    let tool = tools.get(item);
    if (tool === undefined) tools.set(item, (tool = create()));
    return tool;
  };
}

function limited(subscribe: Subscribe, fullReason: (principal: Principal) => string | undefined): Operation {
  const open = subscribeOperation(subscribe);
  return (call) => {
    const full = fullReason(call.principal);
    return full === undefined ? open(call) : Promise.resolve(refuse('busy', full));
  };
}

/** Runs a completion; the gateway itself built the arguments of this call. */
const completionHandler =
  (complete: Complete) =>
  async (call: GuardedCall): Promise<Outcome> => {
    const { argument, value, context } = call.args as Pick<CompletionRequest, 'argument' | 'value' | 'context'>;
    return done([], (await complete(argument, value, context, call)) as unknown as Json); // plain data
  };
