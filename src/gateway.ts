import type { Call, GuardedCall } from './core/call.js';
import type {
  Answer,
  CallRequest,
  CompletionRequest,
  Gateway,
  StoredResult,
  ToolStatus,
  View,
} from './core/gateway.js';
import type { Json } from './core/json.js';
import type { Outcome } from './core/outcome.js';
import { done, refuse } from './core/outcome.js';
import type { Principal } from './core/principal.js';
import { isAdmin } from './core/principal.js';
import type { Complete, Completion, Prompt, Resource, ResourceTemplate } from './core/prompt.js';
import type { Subscribe } from './core/subscription.js';
import { subscribeOperation } from './core/subscription.js';
import { standIn, unavailableTool } from './core/stand-in.js';
import type { Handler, Operation, Tool } from './core/tool.js';
import type { Breakers } from './guards/breaker.js';
import type { Clock } from './lib/clock.js';
import { monotonic } from './lib/clock.js';
import { uuid7 } from './lib/hash.js';
import type { Registry } from './registry/registry.js';
import { truncatedResultsId } from './sources/truncated-results.js';
import { findResource } from './registry/resource-owners.js';
import type { VisibleCatalogue, Visibility } from './registry/visible-lists.js';
import { canRead, visibleLists } from './registry/visible-lists.js';
import { subscriptionTable } from './registry/open-subscriptions.js';

export type { Visibility } from './registry/visible-lists.js';

/** The part of a configuration that decides about calls; immutable, a reload replaces it as a whole. */
export interface CallRuntime {
  /** Wraps a tool in the guard pipeline. */
  readonly wire: (tool: Tool) => Handler;
  readonly visibility: Visibility;
  /** Whether the rules would let this call run now; asked about calls whose effect lasts, such as subscriptions. */
  readonly permits?: (call: Call, tool: Tool) => boolean;
  /** Whether the credential behind the view still exists with the same rights. */
  readonly isCurrent?: (view: View) => boolean;
}

/** Dependencies of the gateway. */
export interface GatewayOptions {
  readonly registry: Registry;
  /** The active runtime; every request takes it once, at its entry, and keeps it to its end. */
  readonly current: () => CallRuntime;
  readonly breakers: Pick<Breakers, 'get'>;
  readonly onAdmin?: (action: string, target: string, by: Principal) => void;
  readonly clock?: Clock;
}

/** Runtime and catalogue that one request sees, to its end. */
interface Snapshot extends VisibleCatalogue {
  readonly runtime: CallRuntime;
}

/** Rate of one caller; enough for a client that subscribes to a whole list after it connects. */
const subscriptionsPerMinute = 600;

const correlationPattern = /^[A-Za-z0-9._:-]{1,64}$/;

/** The gateway behind all transports: lists what a view may see, and runs every call through the guards. */
export function gateway(options: GatewayOptions): Gateway & { active(): number; close(): void } {
  const { registry, current, breakers, clock = monotonic } = options;
  // Guards are composed once per tool and runtime; the WeakMaps drop them with either.
  const composed = new WeakMap<CallRuntime, WeakMap<object, Handler>>();
  const lists = visibleLists();
  /** Runtime and catalogue of one request. A reload swaps both in the same turn, so they always belong together. */
  const snapshot = (): Snapshot => ({ runtime: current(), catalogue: registry.catalogue() });
  const openSubscriptions = subscriptionTable();
  // A reload and every change of the catalogue end subscriptions whose right is gone.
  registry.onChange(() => openSubscriptions.sweep());
  let active = 0;
  let closing = false;

  const unknownTool = unavailableTool('unknown', { code: 'not_found', message: 'Tool not found/disabled' });
  const forbiddenTool = unavailableTool('unknown', { code: 'forbidden', message: 'Tool not found/disabled' });
  const stopping = unavailableTool('unknown', { code: 'shutting_down', message: 'The gateway is stopping' });
  const noResource = unavailableTool('resources/read', { code: 'not_found', message: 'Resource not found' });
  const noCompletion = unavailableTool('completion/complete', {
    code: 'not_found',
    message: 'No completion available',
  });
  const noSubscription = unavailableTool('resources/subscribe', { code: 'not_found', message: 'Resource not found' });
  const noPrompt = unavailableTool('prompts/get', { code: 'not_found', message: 'Prompt not found' });

  const guardedHandler = ({ runtime }: Snapshot, key: object, tool: () => Tool): Handler => {
    let handlers = composed.get(runtime);
    if (handlers === undefined) composed.set(runtime, (handlers = new WeakMap()));
    let handler = handlers.get(key);
    if (handler === undefined) {
      handler = runtime.wire(tool());
      handlers.set(key, handler);
    }
    return handler;
  };
  const completionTools = new WeakMap<object, Tool>();
  const guardedCompletion = (at: Snapshot, item: Prompt | ResourceTemplate, complete: Complete): Handler => {
    let tool = completionTools.get(item);
    if (tool === undefined)
      completionTools.set(item, (tool = standIn('completion/complete', item, completionHandler(complete))));
    return guardedTool(at, tool);
  };
  const guardedTool = (at: Snapshot, tool: Tool): Handler => guardedHandler(at, tool, () => tool);
  const guardedPrompt = (at: Snapshot, prompt: Prompt): Handler =>
    guardedHandler(at, prompt, () => standIn('prompts/get', prompt, prompt.get));
  const guardedResource = (at: Snapshot, resource: Resource | ResourceTemplate, read: Operation): Handler =>
    guardedHandler(at, resource, () => standIn('resources/read', resource, read));

  const subscriptionTools = new WeakMap<object, Tool>();
  const subscriptionTool = (item: Resource | ResourceTemplate, subscribe: Subscribe): Tool => {
    let tool = subscriptionTools.get(item);
    if (tool === undefined) {
      const limits = { ratePerMinute: subscriptionsPerMinute };
      tool = { ...standIn('resources/subscribe', item, limited(subscribe), limits), ruledAs: 'resources/read' };
      subscriptionTools.set(item, tool);
    }
    return tool;
  };
  const limited = (subscribe: Subscribe): Operation => {
    const open = subscribeOperation(subscribe);
    return (call) => {
      const full = openSubscriptions.fullReason(call.principal);
      return full === undefined ? open(call) : Promise.resolve(refuse('busy', full));
    };
  };

  /** Whether the right that opened a subscription still exists: visible, of the same source, and not denied by the rules of now. */
  function mayStillSubscribe(
    request: Omit<CallRequest, 'tool' | 'args'> & { readonly uri: string },
    source: string | undefined,
    tool: Tool | undefined,
  ): boolean {
    const at = snapshot();
    const resource = findVisible(at, request, request.uri);
    if (tool === undefined || resource?.subscribe === undefined || resource.source !== source) return false;
    if (at.runtime.isCurrent?.(request) === false) return false;
    const call = toCall({ ...request, args: { uri: request.uri } }, 'resources/subscribe', clock(), () => false);
    return at.runtime.permits?.(call, tool) !== false;
  }

  /** The resource with this address, if it is visible; the owner of an address is found before visibility is asked. */
  function findVisible(at: Snapshot, view: View, uri: string): Resource | ResourceTemplate | undefined {
    const resource = findResource(at.catalogue, uri);
    return resource !== undefined && canRead(at, view, resource) ? resource : undefined;
  }

  /** Finds a tool; unknown and forbidden ones become placeholders, so that they pass the guards and are audited. */
  function find({ runtime, catalogue }: Snapshot, view: View, name: string): Tool {
    const tool = catalogue.tools.get(name);
    if (tool === undefined || catalogue.disabled.has(name)) return unknownTool;
    return runtime.visibility.isVisible(view, tool) ? tool : forbiddenTool;
  }

  async function run(
    at: Snapshot,
    request: Omit<CallRequest, 'tool'> & Pick<Call, 'subscriber'>,
    name: string,
    handler: Handler,
    tool?: Tool,
  ): Promise<Answer> {
    const { runtime, catalogue } = at;
    const receivedAt = clock();
    const call = toCall(
      request,
      name,
      receivedAt,
      (item) =>
        catalogue.tools.has(item.name) &&
        !catalogue.disabled.has(item.name) &&
        runtime.visibility.isVisible(request, item),
    );
    active += 1;
    try {
      // Through the guards, so that the refusal is recorded like every other.
      const outcome = hideForbidden(await (closing ? guardedTool(at, stopping) : handler)(call));
      return { outcome, correlationId: call.correlationId, durationMs: clock() - receivedAt, ...(tool && { tool }) };
    } finally {
      active -= 1;
    }
  }

  return {
    tools: (view) => lists(snapshot(), view).tools,
    prompts: (view) => lists(snapshot(), view).prompts,
    resources: (view) => lists(snapshot(), view).resources,
    templates: (view) => lists(snapshot(), view).templates,
    active: () => active,
    close() {
      closing = true;
      openSubscriptions.close();
    },
    call(request) {
      const at = snapshot();
      const requested = find(at, request, request.tool);
      // Resolve stand-in tools first, so that policy applies to the tool that really runs (confused deputy).
      const target = requested.resolveTarget?.(request.args);
      const tool = target === undefined ? requested : find(at, request, target.tool);
      return run(
        at,
        target === undefined ? request : { ...request, args: target.args },
        target?.tool ?? request.tool,
        guardedTool(at, tool),
        tool === unknownTool || tool === forbiddenTool ? undefined : tool,
      );
    },
    async read(request) {
      const { uri, stored } = request;
      const at = snapshot();
      if (stored) return run(at, { ...request, args: { uri } }, 'resources/read', guardedTool(at, storedTool(stored)));
      const resource = findVisible(at, request, uri);
      if (resource === undefined)
        return run(at, { ...request, args: { uri } }, 'resources/read', guardedTool(at, noResource));
      const { read } = resource;
      if (typeof read === 'function')
        return run(at, { ...request, args: { uri } }, 'resources/read', guardedResource(at, resource, read));
      // The tool is resolved before the guards: a rule about it must hold under its second name, too.
      const { tool: name, toArgs, toContents } = read;
      const tool = find(at, request, name);
      const answer = await run(at, { ...request, args: toArgs(uri) ?? {} }, name, guardedTool(at, tool), tool);
      const { outcome } = answer;
      if (outcome.kind !== 'done') return answer;
      return { ...answer, outcome: { ...outcome, content: [], data: { contents: [toContents(uri, outcome)] } } };
    },
    prompt(request) {
      const at = snapshot();
      const prompt = lists(at, request).prompts.find((each) => each.name === request.name);
      return run(
        at,
        request,
        `prompts/get:${request.name}`,
        prompt ? guardedPrompt(at, prompt) : guardedTool(at, noPrompt),
      );
    },
    async complete(request) {
      const { target, argument, value, context } = request;
      const at = snapshot();
      const found =
        target.type === 'ref/prompt'
          ? lists(at, request).prompts.find((each) => each.name === target.name)
          : lists(at, request).templates.find((each) => each.uriTemplate === target.uri);
      const ref = target.type === 'ref/prompt' ? target.name : target.uri;
      const args = { ref, argument, value, context };
      const handler = found?.complete ? guardedCompletion(at, found, found.complete) : guardedTool(at, noCompletion);
      const { outcome } = await run(at, { ...request, args }, 'completion/complete', handler);
      // The data is the completion returned by the handler, sanitised by the guards.
      return outcome.kind === 'done' ? (outcome.data as unknown as Completion) : { values: [] };
    },
    async subscribe(request) {
      const { uri } = request;
      const at = snapshot();
      const resource = findVisible(at, request, uri);
      const tool = resource?.subscribe ? subscriptionTool(resource, resource.subscribe) : undefined;
      const mine = openSubscriptions.begin(request, () => mayStillSubscribe(request, resource?.source, tool));
      const answer = await run(
        at,
        { ...request, args: { uri }, subscriber: mine },
        'resources/subscribe',
        guardedTool(at, tool ?? noSubscription),
      );
      if (answer.outcome.kind !== 'done') mine.stop();
      return { ...answer, stop: mine.stop };
    },
    onChange: (listener) => registry.onChange(listener),
    statuses(view) {
      const { runtime, catalogue } = snapshot();
      const all = [...catalogue.tools.values()].filter((tool) => runtime.visibility.isVisible(view, tool));
      return all.map((tool): ToolStatus => {
        return {
          tool,
          enabled: !catalogue.disabled.has(tool.name),
          // A breaker that only another caller has opened lets this caller pass; admins see the worst of all callers.
          breaker: breakers.get(tool.name)?.status(isAdmin(view.principal) ? undefined : view.principal.id) ?? {
            state: 'closed',
            failures: 0,
            retryAfterMs: 0,
          },
        };
      });
    },
    withheld: () => registry.withheld(),
    setEnabled(name, enabled, by) {
      if (!registry.setEnabled(name, enabled)) return false;
      options.onAdmin?.(enabled ? 'enable' : 'disable', name, by);
      return true;
    },
    resetBreaker(name, by) {
      if (!registry.catalogue().tools.has(name)) return false;
      breakers.get(name)?.reset();
      options.onAdmin?.('breaker_reset', name, by);
      return true;
    },
  };
}

/** Builds the call that the guards and the source get. */
function toCall(
  request: Omit<CallRequest, 'tool'> & Pick<Call, 'subscriber'>,
  tool: string,
  receivedAt: number,
  canSee: NonNullable<Call['canSee']>,
): Call {
  const id = uuid7();
  const { principal, profile, peer, via, args, signal, trace, timeoutMs, confirmation, ticket, session, back, meta } =
    request;
  const { subscriber } = request;
  return {
    id,
    tool,
    principal,
    profile,
    peer,
    via,
    args,
    receivedAt,
    signal,
    canSee,
    correlationId: safeCorrelationId(request.correlationId) ?? safeCorrelationId(args['correlation_id']) ?? id,
    trace,
    timeoutMs,
    confirmation,
    ticket,
    session,
    back,
    subscriber,
    meta,
  };
}

/** Correlation id chosen by the caller; dropped if its characters could forge a log line (log injection). */
const safeCorrelationId = (given: unknown): string | undefined =>
  typeof given === 'string' && correlationPattern.test(given) ? given : undefined;

/** Reports forbidden as not found, so that hidden tools cannot be enumerated; the audit has recorded the real code. */
function hideForbidden(outcome: Outcome): Outcome {
  if (outcome.kind !== 'failed' || outcome.error.code !== 'forbidden') return outcome;
  return refuse('not_found', 'Tool not found/disabled');
}

/** Runs a completion; the gateway itself built the arguments of this call. */
const completionHandler =
  (complete: Complete) =>
  async (call: GuardedCall): Promise<Outcome> => {
    const { argument, value, context } = call.args as Pick<CompletionRequest, 'argument' | 'value' | 'context'>;
    return done([], (await complete(argument, value, context, call)) as unknown as Json); // plain data
  };

/** Wraps a stored result as a tool: reading it again passes every guard and is recorded, and it is not truncated once more. */
const storedTool = ({ contents, bytes }: StoredResult): Tool =>
  standIn(
    'resources/read',
    { source: truncatedResultsId, openWorld: true },
    // Contents are plain JSON; only the interface lacks the index signature.
    () => Promise.resolve(done([], { contents: [contents as unknown as Json] })),
    { maxOutputBytes: 2 * bytes + 65_536 },
  );
