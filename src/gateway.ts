import type { Call } from './core/call.js';
import type { Answer, CallRequest, CompletionRequest, Gateway, ToolStatus, View } from './core/gateway.js';
import type { Json } from './core/json.js';
import type { Outcome } from './core/outcome.js';
import { done, failed, refuse } from './core/outcome.js';
import type { ToolError } from './core/errors.js';
import type { Principal } from './core/principal.js';
import type { Complete, Completion, Prompt, Resource, ResourceTemplate } from './core/prompt.js';
import type { Handler, Tool } from './core/tool.js';
import { defaultLimits, readOnly } from './core/tool.js';
import { schemaContract } from './core/contract.js';
import type { Breakers } from './guards/breaker.js';
import type { Clock } from './lib/clock.js';
import { monotonic } from './lib/clock.js';
import { uuid7 } from './lib/hash.js';
import { lru } from './lib/lru.js';
import type { Catalogue, Registry } from './registry/registry.js';

/** Decides which tools, prompts and resources a principal may see. */
export interface Visibility {
  /** Cache key: equal for views with the same visible items. */
  group(view: View): string;
  isVisible(view: View, item: { readonly name: string; readonly source: string }): boolean;
}

/** Dependencies of the gateway. */
export interface GatewayOptions {
  readonly registry: Registry;
  /** Wraps a tool in the guard pipeline. */
  readonly wire: (tool: Tool) => Handler;
  readonly breakers: Pick<Breakers, 'get'>;
  readonly visibility: Visibility;
  readonly onAdmin?: (action: string, target: string, by: Principal) => void;
  readonly clock?: Clock;
}

const correlationPattern = /^[A-Za-z0-9._:-]{1,64}$/;

/** The gateway behind all transports: lists what a view may see, and runs every call through the guards. */
export function gateway(options: GatewayOptions): Gateway & { active(): number; close(): void } {
  const { registry, wire, breakers, visibility, clock = monotonic } = options;
  // Guards are composed once per tool; the WeakMap drops them with the tool.
  const handlers = new WeakMap<object, Handler>();
  const lists = visibleLists(registry, visibility);
  let active = 0;
  let closing = false;

  const unknownTool = unavailableTool('unknown', { code: 'not_found', message: 'Tool not found/disabled' });
  const forbiddenTool = unavailableTool('unknown', { code: 'forbidden', message: 'Tool not found/disabled' });
  const noResource = unavailableTool('resources/read', { code: 'not_found', message: 'Resource not found' });
  const noCompletion = unavailableTool('completion/complete', {
    code: 'not_found',
    message: 'No completion available',
  });
  const noPrompt = unavailableTool('prompts/get', { code: 'not_found', message: 'Prompt not found' });

  const guardedHandler = (key: object, tool: () => Tool): Handler => {
    let handler = handlers.get(key);
    if (handler === undefined) {
      handler = wire(tool());
      handlers.set(key, handler);
    }
    return handler;
  };
  const completionTools = new WeakMap<object, Tool>();
  const guardedCompletion = (item: Prompt | ResourceTemplate, complete: Complete): Handler => {
    let tool = completionTools.get(item);
    if (tool === undefined)
      completionTools.set(item, (tool = asTool('completion/complete', item, completionHandler(complete))));
    return guardedTool(tool);
  };
  const guardedTool = (tool: Tool): Handler => guardedHandler(tool, () => tool);
  const guardedPrompt = (prompt: Prompt): Handler =>
    guardedHandler(prompt, () => asTool('prompts/get', prompt, prompt.get));
  const guardedResource = (resource: Resource | ResourceTemplate): Handler =>
    guardedHandler(resource, () => asTool('resources/read', resource, resource.read));

  /** Finds a tool; unknown and forbidden ones become placeholders, so that they pass the guards and are audited. */
  function find(view: View, name: string): Tool {
    const { tools } = registry.catalogue();
    const tool = tools.get(name);
    if (tool === undefined || !registry.isEnabled(name)) return unknownTool;
    return visibility.isVisible(view, tool) ? tool : forbiddenTool;
  }

  async function run(request: Omit<CallRequest, 'tool'>, name: string, handler: Handler, tool?: Tool): Promise<Answer> {
    const receivedAt = clock();
    const call = toCall(
      request,
      name,
      receivedAt,
      (item) =>
        registry.catalogue().tools.has(item.name) &&
        registry.isEnabled(item.name) &&
        visibility.isVisible(request, item),
    );
    if (closing) {
      return {
        outcome: refuse('shutting_down', 'The gateway is stopping'),
        correlationId: call.correlationId,
        durationMs: 0,
      };
    }
    active += 1;
    try {
      const outcome = hideForbidden(await handler(call));
      return { outcome, correlationId: call.correlationId, durationMs: clock() - receivedAt, ...(tool && { tool }) };
    } finally {
      active -= 1;
    }
  }

  return {
    tools: lists.tools,
    prompts: lists.prompts,
    resources: lists.resources,
    templates: lists.templates,
    active: () => active,
    close() {
      closing = true;
    },
    call(request) {
      const requested = find(request, request.tool);
      // Resolve stand-in tools first, so that policy applies to the tool that really runs (confused deputy).
      const target = requested.resolveTarget?.(request.args);
      const tool = target === undefined ? requested : find(request, target.tool);
      return run(
        target === undefined ? request : { ...request, args: target.args },
        target?.tool ?? request.tool,
        guardedTool(tool),
        tool === unknownTool || tool === forbiddenTool ? undefined : tool,
      );
    },
    read(request) {
      const { uri } = request;
      const resource =
        lists.resources(request).find((each) => each.uri === uri) ??
        lists.templates(request).find((each) => each.matches(uri));
      return run(
        { ...request, args: { uri } },
        'resources/read',
        resource ? guardedResource(resource) : guardedTool(noResource),
      );
    },
    prompt(request) {
      const prompt = lists.prompts(request).find((each) => each.name === request.name);
      return run(request, `prompts/get:${request.name}`, prompt ? guardedPrompt(prompt) : guardedTool(noPrompt));
    },
    async complete(request) {
      const { target, argument, value, context } = request;
      const found =
        target.type === 'ref/prompt'
          ? lists.prompts(request).find((each) => each.name === target.name)
          : lists.templates(request).find((each) => each.uriTemplate === target.uri);
      const ref = target.type === 'ref/prompt' ? target.name : target.uri;
      const args = { ref, argument, value, context };
      const handler = found?.complete ? guardedCompletion(found, found.complete) : guardedTool(noCompletion);
      const { outcome } = await run({ ...request, args }, 'completion/complete', handler);
      // The data is the completion returned by the handler, sanitised by the guards.
      return outcome.kind === 'done' ? (outcome.data as unknown as Completion) : { values: [] };
    },
    watch(view, uri, changed) {
      const resource = lists.resources(view).find((each) => each.uri === uri);
      if (resource) return resource.watch?.(changed);
      return lists
        .templates(view)
        .find((each) => each.matches(uri))
        ?.watch?.(uri, changed);
    },
    onChange: (listener) => registry.onChange(listener),
    statuses(view) {
      const all = [...registry.catalogue().tools.values()].filter((tool) => visibility.isVisible(view, tool));
      return all.map((tool): ToolStatus => {
        const breaker = breakers.get(tool.name);
        return {
          tool,
          enabled: registry.isEnabled(tool.name),
          breaker: {
            state: breaker?.state() ?? 'closed',
            failures: breaker?.failures() ?? 0,
            retryAfterMs: breaker?.retryAfterMs() ?? 0,
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
  request: Omit<CallRequest, 'tool'>,
  tool: string,
  receivedAt: number,
  canSee: NonNullable<Call['canSee']>,
): Call {
  const id = uuid7();
  const { principal, profile, via, args, signal, trace, timeoutMs, confirmation, ticket, session, back, meta } =
    request;
  return {
    id,
    tool,
    principal,
    profile,
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
  async (call: Call): Promise<Outcome> => {
    const { argument, value, context } = call.args as Pick<CompletionRequest, 'argument' | 'value' | 'context'>;
    return done([], (await complete(argument, value, context, call)) as unknown as Json); // plain data
  };

/** Contract that accepts any object; prompts and resources validate their own arguments. */
const anyObject = schemaContract({ type: 'object' });

/** Wraps a prompt, resource or completion as a tool, so that it passes the same guards. */
const asTool = (
  name: string,
  { source, openWorld = false }: { readonly source: string; readonly openWorld?: boolean },
  run: (call: Call) => Promise<Outcome>,
): Tool => ({
  name,
  source,
  run,
  description: '',
  input: anyObject,
  effects: openWorld ? { ...readOnly, openWorld } : readOnly,
  limits: { ...defaultLimits, concurrency: 64, queue: 256, ratePerMinute: 0 },
});

/** Placeholder for unknown names; refused before policy runs, so that rule messages cannot reveal what exists. */
const unavailableTool = (name: string, unavailable: ToolError): Tool => ({
  ...asTool(name, { source: 'gateway' }, () => Promise.resolve(failed(unavailable))),
  unavailable,
});

type Lists = Pick<Gateway, 'tools' | 'prompts' | 'resources' | 'templates'>;

/** Number of visibility groups whose lists are cached. */
const maxCachedGroups = 256;

/** Lists filtered by visibility, cached per group until the catalogue changes. */
function visibleLists(registry: Registry, visibility: Visibility): Lists {
  interface VisibleItems {
    readonly tools: readonly Tool[];
    readonly prompts: readonly Prompt[];
    readonly resources: readonly Resource[];
    readonly templates: readonly ResourceTemplate[];
  }
  let cachedCatalogue: Catalogue | undefined;
  const cache = lru<string, VisibleItems>(maxCachedGroups);

  function lists(view: View): VisibleItems {
    const catalogue = registry.catalogue();
    if (catalogue !== cachedCatalogue) {
      cachedCatalogue = catalogue;
      cache.clear();
    }
    const group = visibility.group(view);
    let found = cache.get(group);
    if (found === undefined) {
      const isVisible = (item: { readonly name: string; readonly source: string }): boolean =>
        visibility.isVisible(view, item);
      found = {
        tools: [...catalogue.tools.values()].filter(
          (tool) =>
            tool.unavailable === undefined &&
            tool.unlisted !== true &&
            registry.isEnabled(tool.name) &&
            isVisible(tool),
        ),
        prompts: catalogue.prompts.filter(isVisible),
        resources: catalogue.resources.filter(isVisible),
        templates: catalogue.templates.filter(isVisible),
      };
      cache.set(group, found);
    }
    return found;
  }

  return {
    tools: (view) => lists(view).tools,
    prompts: (view) => lists(view).prompts,
    resources: (view) => lists(view).resources,
    templates: (view) => lists(view).templates,
  };
}
