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

/** Who may know of what. */
export interface Visibility {
  /** A key that is equal for views that see the same; lists are kept by it. */
  group(view: View): string;
  sees(view: View, item: { readonly name: string; readonly source: string }): boolean;
}

export interface GatewayOptions {
  readonly registry: Registry;
  /** Every guard around a tool. */
  readonly wire: (tool: Tool) => Handler;
  readonly breakers: Pick<Breakers, 'of'>;
  readonly visibility: Visibility;
  readonly onAdmin?: (action: string, target: string, by: Principal) => void;
  readonly clock?: Clock;
}

const correlation = /^[A-Za-z0-9._:-]{1,64}$/;

/** list() and call(): every door comes here, and every call leaves through the guards. */
export function gateway(options: GatewayOptions): Gateway & { active(): number; close(): void } {
  const { registry, wire, breakers, visibility, clock = monotonic } = options;
  const handlers = new WeakMap<object, Handler>();
  const lists = lister(registry, visibility);
  let active = 0;
  let closing = false;

  const nobody = missing('unknown', { code: 'not_found', message: 'Tool not found/disabled' });
  const hidden = missing('unknown', { code: 'forbidden', message: 'Tool not found/disabled' });
  const noResource = missing('resources/read', { code: 'not_found', message: 'Resource not found' });
  const noCompletion = missing('completion/complete', { code: 'not_found', message: 'Nothing to complete' });
  const noPrompt = missing('prompts/get', { code: 'not_found', message: 'Prompt not found' });

  const guarded = (key: object, tool: () => Tool): Handler => {
    let handler = handlers.get(key);
    if (handler === undefined) {
      handler = wire(tool());
      handlers.set(key, handler);
    }
    return handler;
  };
  const completers = new WeakMap<object, Tool>();
  const guardedCompletion = (of: Prompt | ResourceTemplate, complete: Complete): Handler => {
    let tool = completers.get(of);
    if (tool === undefined) completers.set(of, (tool = standIn('completion/complete', of, completing(complete))));
    return guardedTool(tool);
  };
  const guardedTool = (tool: Tool): Handler => guarded(tool, () => tool);
  const guardedPrompt = (prompt: Prompt): Handler => guarded(prompt, () => standIn('prompts/get', prompt, prompt.get));
  const guardedResource = (resource: Resource | ResourceTemplate): Handler =>
    guarded(resource, () => standIn('resources/read', resource, resource.read));

  function find(view: View, name: string): Tool {
    const { tools } = registry.catalogue();
    const tool = tools.get(name);
    if (tool === undefined || !registry.isEnabled(name)) return nobody;
    return visibility.sees(view, tool) ? tool : hidden;
  }

  async function run(request: Omit<CallRequest, 'tool'>, name: string, handler: Handler, tool?: Tool): Promise<Answer> {
    const receivedAt = clock();
    const call = toCall(
      request,
      name,
      receivedAt,
      (item) =>
        registry.catalogue().tools.has(item.name) && registry.isEnabled(item.name) && visibility.sees(request, item),
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
      const outcome = face(await handler(call));
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
      const named = find(request, request.tool);
      const meant = named.standsFor?.(request.args);
      const tool = meant === undefined ? named : find(request, meant.tool);
      return run(
        meant === undefined ? request : { ...request, args: meant.args },
        meant?.tool ?? request.tool,
        guardedTool(tool),
        tool === nobody || tool === hidden ? undefined : tool,
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
      // The handler's data is a completion, with its texts cleaned.
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
      const all = [...registry.catalogue().tools.values()].filter((tool) => visibility.sees(view, tool));
      return all.map((tool): ToolStatus => {
        const breaker = breakers.of(tool.name);
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
      breakers.of(name)?.reset();
      options.onAdmin?.('breaker_reset', name, by);
      return true;
    },
  };
}

function toCall(
  request: Omit<CallRequest, 'tool'>,
  tool: string,
  receivedAt: number,
  sees: NonNullable<Call['sees']>,
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
    sees,
    correlationId: chosen(request.correlationId) ?? chosen(args['correlation_id']) ?? id,
    trace,
    timeoutMs,
    confirmation,
    ticket,
    session,
    back,
    meta,
  };
}

/** A correlation id of the caller's own, unless it could forge a log line. */
const chosen = (given: unknown): string | undefined =>
  typeof given === 'string' && correlation.test(given) ? given : undefined;

/** Unknown and forbidden read the same from outside; the audit has seen the difference by now. */
function face(outcome: Outcome): Outcome {
  if (outcome.kind !== 'failed' || outcome.error.code !== 'forbidden') return outcome;
  return refuse('not_found', 'Tool not found/disabled');
}

/** Completes what the arguments of the call name; the gateway itself has written those. */
const completing =
  (complete: Complete) =>
  async (call: Call): Promise<Outcome> => {
    const { argument, value, context } = call.args as Pick<CompletionRequest, 'argument' | 'value' | 'context'>;
    return done([], (await complete(argument, value, context, call)) as unknown as Json); // plain data
  };

const anything = schemaContract({ type: 'object' });

/** Lets something that is not a tool pass the same guards. */
const standIn = (
  name: string,
  { source, openWorld = false }: { readonly source: string; readonly openWorld?: boolean },
  run: (call: Call) => Promise<Outcome>,
): Tool => ({
  name,
  source,
  run,
  description: '',
  input: anything,
  effects: openWorld ? { ...readOnly, openWorld } : readOnly,
  limits: { ...defaultLimits, concurrency: 64, queue: 256, ratePerMinute: 0 },
});

/** Stands for what is not there; it is refused before any rule is asked, so that no rule can tell what exists. */
const missing = (name: string, unavailable: ToolError): Tool => ({
  ...standIn(name, { source: 'gateway' }, () => Promise.resolve(failed(unavailable))),
  unavailable,
});

type Lists = Pick<Gateway, 'tools' | 'prompts' | 'resources' | 'templates'>;

/** Views with different rights that are remembered at once. */
const mostGroups = 256;

/** The lists a view may see; each is made once and handed out until the catalogue changes. */
function lister(registry: Registry, visibility: Visibility): Lists {
  interface Kept {
    readonly tools: readonly Tool[];
    readonly prompts: readonly Prompt[];
    readonly resources: readonly Resource[];
    readonly templates: readonly ResourceTemplate[];
  }
  let of: Catalogue | undefined;
  const kept = lru<string, Kept>(mostGroups);

  function lists(view: View): Kept {
    const catalogue = registry.catalogue();
    if (catalogue !== of) {
      of = catalogue;
      kept.clear();
    }
    const group = visibility.group(view);
    let found = kept.get(group);
    if (found === undefined) {
      const sees = (item: { readonly name: string; readonly source: string }): boolean => visibility.sees(view, item);
      found = {
        tools: [...catalogue.tools.values()].filter(
          (tool) =>
            tool.unavailable === undefined && tool.unlisted !== true && registry.isEnabled(tool.name) && sees(tool),
        ),
        prompts: catalogue.prompts.filter(sees),
        resources: catalogue.resources.filter(sees),
        templates: catalogue.templates.filter(sees),
      };
      kept.set(group, found);
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
