import type { JsonObject } from '../../core/json.js';
import type { Resource, ResourceTemplate } from '../../core/prompt.js';
import type { SourceHealth, ToolSource, Withheld } from '../../core/source.js';
import type { Limits, Tool } from '../../core/tool.js';
import { defaultLimits } from '../../core/tool.js';
import { addressProblem } from '../../lib/domains.js';
import type { EgressRules } from '../../net/egress-types.js';
import { namespaced } from '../../registry/naming.js';
import { originBreakers, type OriginBreakers } from './breakers.js';
import { caller, realChance, type Caller, type Chance } from './caller.js';
import type { CallLimits, Declaration, HiddenTexts } from './declarations.js';
import { discovered, type Discovery } from './discovery.js';
import { isRepeatable } from './effects.js';
import { hiding } from './hiding.js';
import { projected } from './resources.js';
import { httpTool } from './tool.js';
import { waysOut } from './ways-out.js';

export interface HttpFunctionsOptions {
  readonly id: string;
  readonly tools: readonly Declaration[];
  /** A function server to ask for further tools. */
  readonly discover?: Discovery;
  /** Whether tools are named `<id>__<tool>`; they keep their own names unless told. */
  readonly prefix?: boolean;
  readonly allowedDomains: readonly string[];
  /** Allows the domain `*`. */
  readonly insecureDev?: boolean;
  /** What holds for tools that say nothing. */
  readonly limits: CallLimits;
  /** Slots, rate and time of an attempt, by tool name. */
  readonly guarding?: (
    name: string,
  ) => Partial<
    Pick<Limits, 'concurrency' | 'queue' | 'queueTimeoutMs' | 'ratePerMinute'> & Pick<CallLimits, 'timeoutMs'>
  >;
  readonly breakers?: OriginBreakers;
  /** Values that must never come back from a service. */
  readonly secrets?: readonly string[];
  readonly net?: Pick<EgressRules, 'resolver' | 'tls'>;
  readonly chance?: Partial<Chance>;
  /** How long after a failed discovery the server is asked again. */
  readonly askAgainMs?: number;
  onEvent?(event: string, fields: JsonObject): void;
}

interface Listing {
  readonly tools: readonly Tool[];
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplate[];
}

const addressOf = (one: Declaration): string => (one.kind === 'function' ? one.url : one.baseUrl);

/** HTTP functions and endpoints as tools, on ways out that reach the allowed domains and nothing else. */
export function httpFunctionsSource(options: HttpFunctionsOptions): ToolSource {
  const {
    id,
    discover,
    allowedDomains,
    insecureDev = false,
    breakers = originBreakers(),
    onEvent = () => {},
    askAgainMs = 30_000,
  } = options;
  const chance = { ...realChance, ...options.chance };
  const hide = hiding(options.secrets ?? []);
  const { good, bad } = sorted(options.tools, allowedDomains, insecureDev);
  const urls = [...good.map(addressOf), ...(discover ? [discover.url] : [])].flatMap((text) =>
    addressProblem(text, allowedDomains, insecureDev) === undefined ? [new URL(text)] : [],
  );
  const ways = waysOut({
    allowedDomains: insecureDev ? allowedDomains : allowedDomains.filter((domain) => domain !== '*'),
    urls,
    insecureDev,
    ...(options.net && { net: options.net }),
  });
  const listeners = new Set<() => void>();
  let found: Awaited<ReturnType<typeof discovered>> = { functions: [], withheld: [] };
  let listing: Promise<Listing> = Promise.resolve({ tools: [], resources: [], templates: [] });
  let again: NodeJS.Timeout | undefined;
  let active = 0;
  let closing: (() => void) | undefined;

  const limitsOf = (one: Partial<CallLimits>): CallLimits => ({
    timeoutMs: one.timeoutMs ?? options.limits.timeoutMs,
    attempts: one.attempts ?? options.limits.attempts,
    maxResponseBytes: one.maxResponseBytes ?? options.limits.maxResponseBytes,
  });
  const callerOf = (address: string, headers: HiddenTexts, limits: CallLimits, repeatable: boolean): Caller => {
    const url = new URL(address);
    const way = ways.to(url);
    if (typeof way === 'string') throw new Error(way);
    const send = caller({
      way,
      circuit: breakers.of(url.origin),
      limits,
      repeatable,
      secretHeaders: Object.keys(headers),
      hide,
      chance,
    });
    return async (request, call) => {
      active += 1;
      try {
        return await send(request, call);
      } finally {
        active -= 1;
        if (active === 0) closing?.();
      }
    };
  };
  const toTool = (one: Declaration): Tool => {
    const name = namespaced(options.prefix === true ? id : undefined, one.name);
    const guarding = options.guarding?.(name);
    const limits = limitsOf({ ...one, ...(guarding?.timeoutMs !== undefined && { timeoutMs: guarding.timeoutMs }) });
    const { concurrency, queue, queueTimeoutMs, ratePerMinute } = { ...defaultLimits, ...guarding };
    return httpTool(one, {
      source: id,
      name,
      limits,
      hide,
      guarding: { concurrency, queue, queueTimeoutMs, ratePerMinute },
      caller: callerOf(addressOf(one), one.headers, limits, isRepeatable(one)),
    });
  };

  /** What the function server offers; while it cannot be asked, what it offered last. */
  async function ask(signal: AbortSignal): Promise<void> {
    if (discover === undefined) return;
    clearTimeout(again);
    try {
      found = await discovered(
        discover,
        callerOf(discover.url, discover.headers, limitsOf(discover), true),
        hide,
        signal,
      );
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      found = { ...found, withheld: [{ what: 'list_functions', why }] };
      onEvent('source.failed', { source: id, problem: why });
      // A function server that was down when we started must not stay away until somebody reloads.
      if (closing === undefined)
        again = setTimeout(() => listeners.forEach((listener) => listener()), askAgainMs).unref();
    }
  }

  async function listed(signal: AbortSignal): Promise<Listing> {
    await ask(signal);
    const known = new Set(good.map((one) => one.name));
    const made = [...good, ...found.functions.filter((one) => !known.has(one.name))].map((one) => ({
      one,
      tool: toTool(one),
    }));
    const shown = made.flatMap(({ one, tool }) =>
      one.kind === 'endpoint' && one.resource ? [projected(id, one, tool)] : [],
    );
    for (const { what, why } of withheld()) onEvent('source.withheld', { source: id, what, why });
    return {
      tools: made.map(({ tool }) => tool),
      resources: shown.flatMap((each) => ('resource' in each ? [each.resource] : [])),
      templates: shown.flatMap((each) => ('template' in each ? [each.template] : [])),
    };
  }
  const withheld = (): readonly Withheld[] => [...bad, ...found.withheld];

  return {
    id,
    list(signal) {
      listing = listed(signal);
      return listing.then(({ tools }) => tools);
    },
    resources: () => listing.then(({ resources }) => resources),
    templates: () => listing.then(({ templates }) => templates),
    withheld,
    health(): SourceHealth {
      const resting = [...new Set(urls.map((url) => url.origin))].filter(
        (origin) => breakers.of(origin).state() === 'open',
      );
      if (resting.length > 0)
        return { status: 'degraded', detail: `${resting.join(', ')} failed repeatedly and rests` };
      return withheld().length === 0
        ? { status: 'healthy' }
        : { status: 'degraded', detail: `${withheld().length} tools were left out` };
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      clearTimeout(again);
      // Calls that began before a reload end on the connections they began on.
      closing = () => void ways.close();
      if (active === 0) await ways.close();
    },
  };
}

function sorted(
  tools: readonly Declaration[],
  domains: readonly string[],
  insecureDev: boolean,
): { readonly good: readonly Declaration[]; readonly bad: readonly Withheld[] } {
  const bad: Withheld[] = [];
  const good = tools.filter((one) => {
    const why = addressProblem(addressOf(one), domains, insecureDev) ?? headerProblem(one.headers);
    if (why !== undefined) bad.push({ what: one.name, why });
    return why === undefined;
  });
  return { good, bad };
}

/** A variable read from a file often ends in a line break, which no header can hold. */
function headerProblem(headers: HiddenTexts): string | undefined {
  const name = Object.keys(headers).find((each) => /[^\t\x20-\x7e\x80-\xff]/.test(headers[each]?.value ?? ''));
  return name === undefined ? undefined : `header ${name} holds a character that is not allowed, such as a line break`;
}
