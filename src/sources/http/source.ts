import type { JsonObject } from '../../core/json.js';
import type { Resource, ResourceTemplate } from '../../core/prompt.js';
import type { SourceHealth, ToolSource, Withheld } from '../../core/source.js';
import type { Tool } from '../../core/tool.js';
import { addressProblem } from '../../lib/text/domains.js';
import type { EgressRules } from '../../net/egress/egress-types.js';
import { toNamespacedName } from '../../registry/naming.js';
import { originBreakers, type OriginBreakers } from './breakers.js';
import { sender, systemTiming, type Sender, type Timing } from './sender.js';
import type { CallLimits, Declaration, SecretValues } from './declarations.js';
import { discoverFunctions, rememberedDiscoveries, type FunctionServer } from './discovery.js';
import { isRepeatable } from './effects.js';
import { secretRedactor } from './secret-redactor.js';
import { projectResource } from './resources.js';
import { httpTool } from './tool.js';
import { egressRoutes } from './egress-routes.js';

/** What the source is built from; the loader translates the configuration into it. */
export interface HttpFunctionsOptions {
  readonly id: string;
  readonly tools: readonly Declaration[];
  /** A function server whose functions are offered as further tools. */
  readonly discover?: FunctionServer;
  /** Whether tools are named `<id>__<tool>`; unprefixed by default. */
  readonly prefix?: boolean;
  readonly allowedDomains: readonly string[];
  /** Allows the domain `*`. */
  readonly insecureDev?: boolean;
  /** Cloud metadata addresses that may be called. */
  readonly metadataAddresses?: readonly string[];
  /** Defaults for tools without their own limits. */
  readonly limits: CallLimits;
  /** Attempt timeouts set by the operator, by tool name. */
  readonly timeouts?: Readonly<Record<string, number | undefined>>;
  readonly breakers?: OriginBreakers;
  /** Values to redact in responses. */
  readonly secrets?: readonly string[];
  readonly net?: Pick<EgressRules, 'resolver' | 'tls'>;
  readonly timing?: Partial<Timing>;
  /** Interval at which subscribed resources are compared. */
  readonly pollMs?: number;
  /** Delay before discovery is retried after a failure. */
  readonly rediscoverMs?: number;
  onEvent?(event: string, fields: JsonObject): void;
}

/** Everything that one listing offers. */
interface Listing {
  readonly tools: readonly Tool[];
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplate[];
}

/** Address that a tool calls. */
const targetUrl = (declaration: Declaration): string =>
  declaration.kind === 'function' ? declaration.url : declaration.baseUrl;

/** Source of HTTP functions and endpoints; egress is limited to the allowed domains. */
export function httpFunctionsSource(options: HttpFunctionsOptions): ToolSource {
  const {
    id,
    discover,
    allowedDomains,
    insecureDev = false,
    breakers = originBreakers(),
    onEvent = () => {},
    rediscoverMs: askAgainMs = 30_000,
  } = options;
  const timing = { ...systemTiming, ...options.timing };
  const redact = secretRedactor(options.secrets ?? []);
  // A tool with a bad address is left out with its reason; the others still work.
  const { good, bad } = partitionTools(options.tools, allowedDomains, insecureDev);
  const urls = [...good.map(targetUrl), ...(discover ? [discover.url] : [])].flatMap((text) =>
    addressProblem(text, allowedDomains, insecureDev) === undefined ? [new URL(text)] : [],
  );
  const routes = egressRoutes({
    // `*` without --insecure-dev is dropped here as well, should the loader ever let it pass.
    allowedDomains: insecureDev ? allowedDomains : allowedDomains.filter((domain) => domain !== '*'),
    urls,
    insecureDev,
    ...(options.metadataAddresses && { metadataAddresses: options.metadataAddresses }),
    ...(options.net && { net: options.net }),
  });
  const listeners = new Set<() => void>();
  const remembered = rememberedDiscoveries(breakers);
  const memoryKey = `${id} ${discover?.url ?? ''}`;
  // What the server listed before a reload: it may be down just now, and its tools must not vanish with an unrelated change.
  let discovery = remembered.get(memoryKey) ?? { functions: [], withheld: [] };
  let listing: Promise<Listing> = Promise.resolve({ tools: [], resources: [], templates: [] });
  let rediscoverTimer: NodeJS.Timeout | undefined;
  let active = 0;
  let closing: (() => void) | undefined;

  const limitsOf = (declaration: Partial<CallLimits>): CallLimits => ({
    timeoutMs: declaration.timeoutMs ?? options.limits.timeoutMs,
    attempts: declaration.attempts ?? options.limits.attempts,
    maxResponseBytes: declaration.maxResponseBytes ?? options.limits.maxResponseBytes,
  });
  const createSender = (address: string, headers: SecretValues, limits: CallLimits, repeatable: boolean): Sender => {
    const url = new URL(address);
    // Checked at construction: an address outside of the allowed domains never gets a sender.
    const route = routes.route(url);
    if (typeof route === 'string') throw new Error(route);
    const send = sender({
      egress: route,
      circuit: breakers.get(url.origin),
      limits,
      repeatable,
      secretHeaders: Object.keys(headers),
      redact,
      timing,
    });
    return async (request, call) => {
      // Counted, so that closing can wait for calls in flight.
      active += 1;
      try {
        return await send(request, call);
      } finally {
        active -= 1;
        if (active === 0) closing?.();
      }
    };
  };
  const toTool = (declaration: Declaration, discovered = false): Tool => {
    const name = toNamespacedName(options.prefix === true ? id : undefined, declaration.name);
    // Object.hasOwn: tool names may come from a discovered list.
    const timeoutMs = options.timeouts && Object.hasOwn(options.timeouts, name) ? options.timeouts[name] : undefined;
    const limits = limitsOf({ ...declaration, ...(timeoutMs !== undefined && { timeoutMs }) });
    const { origin } = new URL(targetUrl(declaration));
    const circuit = breakers.get(origin);
    return httpTool(declaration, {
      source: id,
      discovered,
      origin: { url: origin, status: (caller) => circuit.status(caller), reset: () => circuit.reset() },
      name,
      limits,
      redact,
      sender: createSender(targetUrl(declaration), declaration.headers, limits, isRepeatable(declaration)),
    });
  };

  /** Refreshes the functions of the server; keeps the last known ones while it is unreachable. */
  async function refreshDiscovery(signal: AbortSignal): Promise<void> {
    if (discover === undefined) return;
    clearTimeout(rediscoverTimer);
    try {
      discovery = await discoverFunctions(
        discover,
        // Listing is a read, so it may be retried.
        createSender(discover.url, discover.headers, limitsOf(discover), true),
        redact,
        signal,
      );
      remembered.set(memoryKey, discovery);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      // The last known functions stay: a server that restarts must not make tools vanish.
      discovery = { ...discovery, withheld: [{ what: 'list_functions', why }] };
      onEvent('source.failed', { source: id, problem: why });
      // Retry by timer: a server that was down at start must not stay missing until a reload.
      if (closing === undefined)
        rediscoverTimer = setTimeout(() => listeners.forEach((listener) => listener()), askAgainMs).unref();
    }
  }

  async function buildListing(signal: AbortSignal): Promise<Listing> {
    await refreshDiscovery(signal);
    // Declared tools take precedence over discovered ones of the same name.
    const known = new Set(good.map((declaration) => declaration.name));
    const built: { readonly declaration: Declaration; readonly tool: Tool }[] = [
      ...good.map((declaration) => ({ declaration, tool: toTool(declaration) })),
      ...discovery.functions
        .filter((declaration) => !known.has(declaration.name))
        .map((declaration) => ({ declaration, tool: toTool(declaration, true) })),
    ];
    const shown = built.flatMap(({ declaration, tool }) =>
      declaration.kind === 'endpoint' && declaration.resource
        ? [projectResource(id, declaration, tool, options.pollMs ?? 60_000)]
        : [],
    );
    for (const { what, why } of withheld()) onEvent('source.withheld', { source: id, what, why });
    return {
      tools: built.map(({ tool }) => tool),
      resources: shown.flatMap((entry) => ('resource' in entry ? [entry.resource] : [])),
      templates: shown.flatMap((entry) => ('template' in entry ? [entry.template] : [])),
    };
  }
  const withheld = (): readonly Withheld[] => [...bad, ...discovery.withheld];

  return {
    id,
    list(signal) {
      // Resources and templates wait for the same listing, so that all three agree.
      listing = buildListing(signal);
      return listing.then(({ tools }) => tools);
    },
    resources: () => listing.then(({ resources }) => resources),
    templates: () => listing.then(({ templates }) => templates),
    withheld,
    health(): SourceHealth {
      // One open breaker makes the source degraded, not unhealthy: its other origins still answer.
      const openOrigins = [...new Set(urls.map((url) => url.origin))].filter(
        (origin) => breakers.get(origin).status().state === 'open',
      );
      if (openOrigins.length > 0)
        return { status: 'degraded', detail: `${openOrigins.join(', ')} failed repeatedly; calls are paused` };
      return withheld().length === 0
        ? { status: 'healthy' }
        : { status: 'degraded', detail: `${withheld().length} tools were left out` };
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      clearTimeout(rediscoverTimer);
      // Running calls finish on their connections before these are closed (drain).
      closing = () => void routes.close();
      if (active === 0) await routes.close();
    },
  };
}

/** Separates usable tools from those whose address or headers cannot work. */
function partitionTools(
  tools: readonly Declaration[],
  domains: readonly string[],
  insecureDev: boolean,
): { readonly good: readonly Declaration[]; readonly bad: readonly Withheld[] } {
  const bad: Withheld[] = [];
  const good = tools.filter((declaration) => {
    const why = addressProblem(targetUrl(declaration), domains, insecureDev) ?? headerProblem(declaration.headers);
    if (why !== undefined) bad.push({ what: declaration.name, why });
    return why === undefined;
  });
  return { good, bad };
}

/** Secrets read from files often end in a line break, which a header must not contain. */
function headerProblem(headers: SecretValues): string | undefined {
  const name = Object.keys(headers).find((entry) => /[^\t\x20-\x7e\x80-\xff]/.test(headers[entry]?.value ?? ''));
  return name === undefined
    ? undefined
    : `header ${name} contains a character that is not allowed, such as a line break`;
}
