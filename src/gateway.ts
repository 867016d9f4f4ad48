import type { Answer, CallRequest, Gateway, ToolStatus, View } from './core/gateway.js';
import type { Outcome } from './core/outcome.js';
import { refuse } from './core/outcome.js';
import type { Principal } from './core/principal.js';
import { isAdmin } from './core/principal.js';
import type { Completion, Resource, ResourceTemplate } from './core/prompt.js';
import { unavailableTool } from './core/stand-in.js';
import type { Subscribe } from './core/subscription.js';
import type { Handler, Tool } from './core/tool.js';
import { resolveToolAlias } from './core/tool-aliases.js';
import { toResourceOutcome } from './gateway/resource-outcome.js';
import { guardedItems } from './gateway/guarded-items.js';
import { resourcePolls } from './gateway/resource-polls.js';
import type { CallRuntime, Snapshot } from './gateway/snapshot.js';
import { toCall, type CallParts } from './gateway/to-call.js';
import { shownBreaker, type Breakers } from './guards/breaker.js';
import type { Clock } from './lib/clock.js';
import { monotonic } from './lib/clock.js';
import { forbiddenTool, noCompletion, noPrompt, noResource } from './registry/missing-items.js';
import { noSubscription, stopping, unknownTool } from './registry/missing-items.js';
import type { PreparingSource, PreparingSources } from './registry/preparing.js';
import type { Registry } from './registry/registry.js';
import { findResource } from './registry/resource-owners.js';
import { personalCatalogues } from './registry/personal-catalogue.js';
import { canRead, visibleLists } from './registry/visible-lists.js';
import { quoteInstructions } from './registry/source-instructions.js';
import { toolSearchCache } from './registry/tool-search.js';
import { subscriptionTable } from './registry/open-subscriptions.js';
import type { StoredResults } from './sources/stored-results.js';

export type { CallRuntime } from './gateway/snapshot.js';
export type { Visibility } from './registry/visible-lists.js';

/** Dependencies of the gateway. */
interface GatewayOptions {
  readonly registry: Registry;
  /** The active runtime; every request takes it once, at its entry, and keeps it to its end. */
  readonly current: () => CallRuntime;
  readonly breakers: Pick<Breakers, 'get' | 'settings'>;
  readonly onAdmin?: (action: 'enable' | 'disable' | 'breaker_reset', target: string, by: Principal) => void;
  /** Sources whose tools do not exist yet; a call of one waits. */
  readonly preparing?: PreparingSources;
  /** Stores large results; its source is one of the registry. */
  readonly results?: Pick<StoredResults, 'keepWhole'>;
  readonly clock?: Clock;
}

/** The gateway behind all transports: lists what a view may see, and runs every call through the guards. */
export function gateway(options: GatewayOptions): Gateway & { active(): number; close(): void } {
  const { registry, current, breakers, clock = monotonic } = options;
  const lists = visibleLists();
  /** Runtime and catalogue of one request. A reload swaps both in the same turn, so they always belong together. */
  const snapshot = (): Snapshot => ({ runtime: current(), catalogue: registry.catalogue() });
  const searchTools = toolSearchCache();
  /** The search tools over a catalogue, if this view uses them. */
  const searchToolsOf = ({ runtime, catalogue }: Snapshot, view: View): readonly Tool[] | undefined =>
    runtime.searches?.(view) === true ? searchTools(catalogue) : undefined;
  const personal = personalCatalogues();
  /** The same with the resources of this principal; reads them if they are not known. */
  function personalSnapshot({ principal: { id } }: View): Snapshot | Promise<Snapshot> {
    const at = snapshot();
    const catalogue = personal.of(at.catalogue, id);
    // A reload may have swapped the runtime meanwhile.
    if (catalogue instanceof Promise) return catalogue.then(() => knownSnapshot(id));
    return catalogue === at.catalogue ? at : { ...at, catalogue };
  }
  function knownSnapshot(principal: string): Snapshot {
    const at = snapshot();
    return { ...at, catalogue: personal.known(at.catalogue, principal) };
  }
  const openSubscriptions = subscriptionTable();
  // A reload and every change of the catalogue end subscriptions whose right is gone.
  registry.onChange(() => openSubscriptions.sweep());
  const guarded = guardedItems(openSubscriptions.fullReason);
  const polls = resourcePolls(async ({ principal, profile, peer, via, session }, name, args, signal) => {
    const at = snapshot();
    const request = {
      principal,
      via,
      args,
      signal,
      ...(profile !== undefined && { profile }),
      ...(peer !== undefined && { peer }),
      ...(session !== undefined && { session }),
    };
    const tool = find(at, request, name);
    return (await run(at, request, name, guarded.tool(at, tool), tool)).outcome;
  });
  const subscribeOf = ({ subscribe, read }: Resource | ResourceTemplate): Subscribe | undefined =>
    subscribe ?? (typeof read === 'function' ? undefined : polls.subscribeTo(read));
  let active = 0;
  let closing = false;

  /** Whether the right that opened a subscription still exists: visible, of the same source, and not denied by the rules of now. */
  function mayStillSubscribe(
    request: Omit<CallRequest, 'tool' | 'args'> & { readonly uri: string },
    opened: Resource | ResourceTemplate | undefined,
    tool: Tool | undefined,
  ): boolean {
    const at = knownSnapshot(request.principal.id);
    const resource = personal.isEvicted(at.catalogue, request.principal.id, opened?.source)
      ? opened && canRead(at, request, opened) && opened
      : findVisible(at, request, request.uri);
    if (tool === undefined || !resource || resource.source !== opened?.source) return false;
    if (subscribeOf(resource) === undefined) return false;
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
  function find(at: Snapshot, view: View, name: string): Tool {
    const { runtime, catalogue } = at;
    const searching = searchToolsOf(at, view)?.find((tool) => tool.name === name);
    if (searching !== undefined) return searching;
    const tool = catalogue.tools.get(name) ?? catalogue.tools.get(resolveToolAlias(name));
    if (tool === undefined || catalogue.disabled.has(tool.name)) return unknownTool;
    return runtime.visibility.isVisible(view, tool) ? tool : forbiddenTool;
  }

  const isVisible = ({ runtime, catalogue }: Snapshot, view: View, tool: Tool): boolean =>
    !catalogue.disabled.has(tool.name) && runtime.visibility.isVisible(view, tool);

  /** The source in preparation that a call of an unknown tool waits for; undefined for callers who may not see its tools. */
  function visiblePreparing({ runtime }: Snapshot, request: CallRequest): PreparingSource | undefined {
    const found = options.preparing?.find(request.tool);
    if (found === undefined) return undefined;
    const awaited = { ...startingTool(found), name: request.tool, source: found.source };
    return runtime.visibility.isVisible(request, awaited) ? found : undefined;
  }

  async function run(at: Snapshot, request: CallParts, name: string, handler: Handler, tool?: Tool): Promise<Answer> {
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
      const outcome = hideForbidden(await (closing ? guarded.tool(at, stopping) : handler)(call));
      return { outcome, correlationId: call.correlationId, durationMs: clock() - receivedAt, ...(tool && { tool }) };
    } finally {
      active -= 1;
    }
  }

  return {
    tools(view) {
      const at = snapshot();
      return searchToolsOf(at, view) ?? lists(at, view).tools;
    },
    prompts: (view) => lists(snapshot(), view).prompts,
    resources: (view) => whenRead(personalSnapshot(view), (at) => lists(at, view).resources),
    templates: (view) => whenRead(personalSnapshot(view), (at) => lists(at, view).templates),
    instructions(view) {
      const visible = new Set(lists(snapshot(), view).tools.map(({ source }) => source));
      return quoteInstructions(registry.sources(), (id) => visible.has(id));
    },
    active: () => active,
    close() {
      closing = true;
      openSubscriptions.close();
    },
    async call(request) {
      let at = snapshot();
      let requested = find(at, request, request.tool);
      if (requested === unknownTool) {
        const preparing = visiblePreparing(at, request);
        if (preparing !== undefined) {
          await options.preparing?.wait(preparing.source, request.timeoutMs, request.signal);
          at = snapshot();
          requested = find(at, request, request.tool);
          const still = requested === unknownTool ? visiblePreparing(at, request) : undefined;
          if (still !== undefined) return run(at, request, request.tool, guarded.tool(at, startingTool(still)));
        }
      }
      // Resolve stand-in tools first, so that policy applies to the tool that really runs (confused deputy).
      const target = requested.resolveTarget?.(request.args);
      const tool = target === undefined ? requested : find(at, request, target.tool);
      return run(
        at,
        target === undefined ? request : { ...request, args: target.args },
        target?.tool ?? request.tool,
        guarded.tool(at, tool),
        tool === unknownTool || tool === forbiddenTool ? undefined : tool,
      );
    },
    async read(request) {
      const { uri } = request;
      const at = await personalSnapshot(request);
      const readBy = (handler: Handler): Promise<Answer> =>
        run(at, { ...request, args: { uri } }, 'resources/read', handler);
      const resource = findVisible(at, request, uri);
      if (resource === undefined) return readBy(guarded.tool(at, noResource));
      const { read } = resource;
      if (typeof read === 'function') {
        if (!('stored' in resource) || resource.stored === undefined)
          return readBy(guarded.resource(at, resource, read));
        const origin = await resource.stored.originOf(uri, request);
        return readBy(
          origin !== undefined && isVisible(at, request, origin)
            ? guarded.stored(at, origin, resource, resource.stored, read)
            : guarded.tool(at, noResource),
        );
      }
      // The tool is resolved before the guards: a rule about it must hold under its second name, too.
      const { tool: name, toArgs, toContents } = read;
      const tool = find(at, request, name);
      const answer = await run(at, { ...request, args: toArgs(uri) ?? {} }, name, guarded.tool(at, tool), tool);
      const { outcome } = answer;
      if (outcome.kind !== 'done') return answer;
      return { ...answer, outcome: toResourceOutcome(outcome, toContents(uri, outcome)) };
    },
    prompt(request) {
      const at = snapshot();
      const prompt = lists(at, request).prompts.find((each) => each.name === request.name);
      return run(
        at,
        request,
        `prompts/get:${request.name}`,
        prompt ? guarded.prompt(at, prompt) : guarded.tool(at, noPrompt),
      );
    },
    async complete(request) {
      const { target, argument, value, context } = request;
      const at = target.type === 'ref/prompt' ? snapshot() : await personalSnapshot(request);
      const found =
        target.type === 'ref/prompt'
          ? lists(at, request).prompts.find((each) => each.name === target.name)
          : lists(at, request).templates.find((each) => each.uriTemplate === target.uri);
      const ref = target.type === 'ref/prompt' ? target.name : target.uri;
      const args = { ref, argument, value, context };
      const handler = found?.complete ? guarded.completion(at, found, found.complete) : guarded.tool(at, noCompletion);
      const { outcome } = await run(at, { ...request, args }, 'completion/complete', handler);
      // The data is the completion returned by the handler, sanitised by the guards.
      return outcome.kind === 'done' ? (outcome.data as unknown as Completion) : { values: [] };
    },
    async subscribe(request) {
      const { uri } = request;
      const at = await personalSnapshot(request);
      const resource = findVisible(at, request, uri);
      const subscribe = resource && subscribeOf(resource);
      const tool = subscribe && guarded.subscriptionTool(resource, subscribe);
      const mine = openSubscriptions.begin(request, () => mayStillSubscribe(request, resource, tool));
      const answer = await run(
        at,
        { ...request, args: { uri }, subscriber: mine },
        'resources/subscribe',
        guarded.tool(at, tool ?? noSubscription),
      );
      if (answer.outcome.kind !== 'done') mine.stop();
      return { ...answer, stop: mine.stop };
    },
    ...(options.results && { store: options.results.keepWhole }),
    onChange: (listener) => registry.onChange(listener),
    statuses(view) {
      const { runtime, catalogue } = snapshot();
      const all = [...catalogue.tools.values()].filter((tool) => runtime.visibility.isVisible(view, tool));
      return all.map((tool): ToolStatus => {
        return {
          tool,
          enabled: !catalogue.disabled.has(tool.name),
          breaker: shownBreaker(breakers, tool, isAdmin(view.principal) ? undefined : view.principal.id),
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
      registry.catalogue().tools.get(name)?.origin?.reset();
      options.onAdmin?.('breaker_reset', name, by);
      return true;
    },
  };
}

const whenRead = <T>(at: Snapshot | Promise<Snapshot>, list: (at: Snapshot) => T): T | Promise<T> =>
  at instanceof Promise ? at.then(list) : list(at);

/** Refuses a call whose source was not ready in time. */
const startingTool = ({ source, detail }: PreparingSource): Tool =>
  unavailableTool('unknown', {
    code: 'source_starting',
    message: `The source ${source} ${detail}`,
    retryAfterMs: 5_000,
  });

/** Reports forbidden as not found, so that hidden tools cannot be enumerated; the audit has recorded the real code. */
function hideForbidden(outcome: Outcome): Outcome {
  if (outcome.kind !== 'failed' || outcome.error.code !== 'forbidden') return outcome;
  return refuse('not_found', 'Tool not found/disabled');
}
