import type { Call } from '../../core/call.js';
import type { JsonObject } from '../../core/json.js';
import type { Completion, Prompt, Resource, ResourceTemplate } from '../../core/prompt.js';
import type { SourceHealth, ToolSource, Withheld } from '../../core/source.js';
import type { DeclaredLimits, Tool } from '../../core/tool.js';
import { isJsonObject } from '../../wire/message.js';
import { backoffDebounce } from './backoff-debounce.js';
import type { ChannelEnd, OpenChannel } from './channels/channel.js';
import type { CatalogItem } from './catalog/definitions.js';
import type { Era } from './sessions/handshake.js';
import { defaultListBudget } from './catalog/paged-list.js';
import type { ListBudget } from './catalog/paged-list.js';
import { toRelayedPrompt, toRelayedResource, toRelayedTemplate, toRelayedTool } from './catalog/relayed-items.js';
import type { ItemContext } from './catalog/relayed-items.js';
import { sessionPool, defaultPoolLimits } from './sessions/session-pool.js';
import type { PoolLimits } from './sessions/session-pool.js';
import { leaseResult } from './relay/outcomes.js';
import { relay } from './relay/relay.js';
import type { PendingCallLimits } from './relay/pending-calls.js';
import { openSession } from './sessions/session.js';
import type { Session } from './sessions/session.js';
import { readCatalog } from './catalog/catalog.js';
import type { Catalog } from './catalog/catalog.js';
import { subscriptions as upstreamSubscriptions } from './sessions/subscriptions.js';

/** Admission policy for items; the map holds the rejected items and why. */
export type Admit = (
  items: readonly CatalogItem[],
  server: { readonly name: string; readonly version: string; readonly instructions?: string },
) => Promise<ReadonlyMap<CatalogItem, string>>;

export interface McpSourceOptions {
  readonly id: string;
  /** Prefix of names; absent if they are offered unchanged. */
  readonly prefix?: string;
  /** Stable identity, independent of the id: package, URL or command line. */
  readonly identity?: string;
  readonly open: OpenChannel;
  readonly remote: boolean;
  readonly era: Era;
  readonly clientInfo: { readonly name: string; readonly version: string };
  readonly limits: DeclaredLimits;
  /** Which callers share a session. */
  readonly sharing: 'principal' | 'session' | 'all';
  /** Principal used for listing when sessions are per principal; anonymous by default. */
  readonly listAs?: string;
  readonly connectMs: number;
  /** Longest wait for the first listing; later the source appears when it is ready. */
  readonly startupMs: number;
  readonly pool?: Partial<PoolLimits>;
  readonly budget?: Partial<ListBudget>;
  readonly pendingCallLimits?: Partial<PendingCallLimits>;
  readonly admit?: Admit;
  onEvent?(event: string, fields: JsonObject): void;
}

/** An upstream MCP server as a source. */
export interface McpSource extends ToolSource {
  /** Server information from the last connect, and the current status. */
  state(): {
    readonly server?: { readonly name: string; readonly version: string };
    readonly revision?: string;
    readonly open: number;
    readonly problem?: string;
  };
}

interface Listing {
  readonly tools: readonly Tool[];
  readonly prompts: readonly Prompt[];
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplate[];
  readonly withheld: readonly Withheld[];
}

const emptyListing: Listing = { tools: [], prompts: [], resources: [], templates: [], withheld: [] };

/** Source of the tools, prompts and resources of one upstream server, with its own session pool. */
export function mcpSource(options: McpSourceOptions): McpSource {
  const { id, remote, sharing, listAs = '', onEvent = () => {} } = options;
  const budget = { ...defaultListBudget, ...options.budget };
  const listeners = new Set<() => void>();
  let knownEra: Era = options.era;
  let peer: Session['peer'] | undefined;
  let listing: Listing | undefined;
  let loading: Promise<Listing> | undefined;
  let problem: ChannelEnd | undefined;
  let closed = false;

  const changes = backoffDebounce(() => {
    for (const listener of listeners) listener();
    // Listeners reload the list; the next notification waits until that is done.
    return loading?.catch(() => undefined);
  });
  const changed = changes.trigger;

  const connect = async (signal: AbortSignal, owner: string): Promise<Session | ChannelEnd> => {
    let session: Session | undefined;
    const opened = await openSession({
      open: options.open,
      owner,
      era: knownEra,
      first: remote ? 'modern' : 'legacy',
      handshake: { clientInfo: options.clientInfo, timeoutMs: options.connectMs, signal },
      events: {
        listChanged: changed,
        resourceUpdated: (uri) => session && subscriptions.onUpdate(session, uri),
        ended(end) {
          if (session) subscriptions.onEnd(session);
          if (!closed)
            onEvent('upstream.closed', {
              source: id,
              message: end.message,
              ...(end.stderr !== undefined && { stderr: end.stderr }),
            });
        },
      },
    });
    if (!('request' in opened)) {
      // The server may have been replaced by one of the other era.
      if (options.era === 'auto') knownEra = 'auto';
      return opened;
    }
    session = opened;
    peer = opened.peer;
    if (options.era === 'auto') knownEra = peer.modern ? 'modern' : 'legacy';
    onEvent('upstream.connected', {
      source: id,
      server: peer.server.name,
      version: peer.server.version,
      revision: peer.version,
    });
    subscriptions.onConnect(opened);
    return opened;
  };
  const poolLimits = { ...defaultPoolLimits, ...options.pool };
  const connections = sessionPool({ open: connect, limits: poolLimits });
  const subscriptions = upstreamSubscriptions({
    source: id,
    remote,
    connectMs: options.connectMs,
    lease: (owner) => connections.lease(owner),
    limits: { total: 1_000, perPrincipal: 250, owners: Math.max(1, Math.floor(poolLimits.maxSessions / 2)) },
  });

  const ownerOf = ({ principal, session: sessionId }: Call): string =>
    sharing === 'all' ? 'all' : sharing === 'principal' ? principal.id : `${principal.id}\n${sessionId ?? ''}`;
  const callRelay = relay({
    source: id,
    remote,
    pool: connections,
    ownerOf,
    ...(options.pendingCallLimits && { pendingCallLimits: options.pendingCallLimits }),
  });

  const context: ItemContext = {
    source: id,
    identity: options.identity ?? id,
    limits: options.limits,
    remote,
    ...(options.prefix !== undefined && { prefix: options.prefix }),
    relay: callRelay,
    subscribe: (call, changed) => subscriptions.watch(ownerOf(call), call, String(call.args['uri']), changed),
    async complete(ref, argument, value, context, call) {
      if (peer && !isJsonObject(peer.capabilities['completions'])) return { values: [] };
      // In the caller's session: suggestions may contain data that only this principal may see.
      const lease = await connections.lease(ownerOf(call), call.signal);
      if (!('session' in lease)) return { values: [] };
      const reply = isJsonObject(lease.session.peer.capabilities['completions'])
        ? await lease.session.request(
            'completion/complete',
            { ref, argument: { name: argument, value }, context: { arguments: context } },
            { timeoutMs: options.connectMs, signal: call.signal },
          )
        : undefined;
      lease.release(reply ? leaseResult(reply, call) : 'neutral', reply);
      return toCompletion(reply && 'result' in reply ? reply.result : {});
    },
  };

  async function load(signal: AbortSignal): Promise<Listing> {
    const lease = await connections.lease(listAs, signal);
    if (!('session' in lease)) throw new Error(endMessage(lease));
    const catalog: Catalog | { readonly problem: string } = await readCatalog(lease.session, budget, signal);
    const { server, instructions } = lease.session.peer;
    lease.release('problem' in catalog ? 'failed' : 'answered');
    if ('problem' in catalog) throw new Error(lease.session.end ? endMessage(lease.session.end) : catalog.problem);
    const rejected =
      (await options.admit?.(catalog.items, { ...server, ...(instructions !== undefined && { instructions }) })) ??
      new Map<CatalogItem, string>();
    const offered = catalog.items.filter((item) => !rejected.has(item));
    const ofKind = (kind: CatalogItem['kind']): readonly CatalogItem[] => offered.filter((item) => item.kind === kind);
    return {
      tools: ofKind('tool').map((item) => toRelayedTool(item, context)),
      prompts: ofKind('prompt').map((item) => toRelayedPrompt(item, context)),
      resources: ofKind('resource').map((item) => toRelayedResource(item, context)),
      templates: ofKind('template').map((item) => toRelayedTemplate(item, context)),
      withheld: [
        ...catalog.withheld,
        ...[...rejected].map(([{ kind, name }, why]) => ({ what: `${kind} ${name}`, why })),
      ],
    };
  }

  /** Loads once at a time; concurrent callers share the result. */
  function reload(signal: AbortSignal): Promise<Listing> {
    loading ??= load(signal)
      .then(
        (loaded) => {
          problem = undefined;
          listing = loaded;
          return loaded;
        },
        (error: unknown) => {
          problem = { message: error instanceof Error ? error.message : String(error) };
          throw error;
        },
      )
      .finally(() => (loading = undefined));
    return loading;
  }

  async function list(signal: AbortSignal): Promise<Listing> {
    const coming = reload(signal);
    if (listing) return coming;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'late'>((resolve) => (timer = setTimeout(() => resolve('late'), options.startupMs)));
    const first = await Promise.race([coming, late]).finally(() => clearTimeout(timer));
    if (first !== 'late') return first;
    // Success or failure: trigger a new listing that shows the result.
    coming.then(changed, changed);
    problem ??= { message: `is still starting after ${options.startupMs / 1000} s` };
    return { ...emptyListing, withheld: [{ what: id, why: problem.message }] };
  }

  /** Result of the latest list(), so that prompts and resources do not wait longer than tools. */
  let currentList: Promise<Listing> | undefined;
  const latestListing = async (): Promise<Listing> => {
    try {
      return (await currentList) ?? emptyListing;
    } catch {
      return listing ?? emptyListing; // list() reports the reason
    }
  };

  return {
    id,
    ...(options.identity !== undefined && { identity: options.identity }),
    isListed: () => listing !== undefined,
    list: async (signal) => (await (currentList = list(signal))).tools,
    prompts: async () => (await latestListing()).prompts,
    resources: async () => (await latestListing()).resources,
    templates: async () => (await latestListing()).templates,
    withheld: () => listing?.withheld ?? (problem ? [{ what: id, why: problem.message }] : []),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    health(): SourceHealth {
      const { backOff, unanswered } = connections.state();
      if (backOff) return { status: 'unhealthy', detail: endMessage(backOff) };
      if (problem) return { status: 'unhealthy', detail: problem.message };
      if (unanswered) return { status: 'unhealthy', detail: endMessage(unanswered) };
      return listing && listing.withheld.length > 0
        ? { status: 'degraded', detail: `${listing.withheld.length} withheld` }
        : { status: 'healthy' };
    },
    state: () => ({
      open: connections.state().open,
      ...(peer && { server: peer.server, revision: peer.version }),
      ...(problem && { problem: problem.message }),
    }),
    async close() {
      closed = true;
      changes.close();
      listeners.clear();
      callRelay.close();
      subscriptions.close();
      await connections.close();
    },
  };
}

const endMessage = ({ message, stderr }: ChannelEnd): string =>
  stderr === undefined ? message : `${message}; stderr: ${stderr}`;

function toCompletion({ completion }: JsonObject): Completion {
  if (!isJsonObject(completion) || !Array.isArray(completion['values'])) return { values: [] };
  const { values, total, hasMore } = completion;
  return {
    values: values
      .filter((value): value is string => typeof value === 'string')
      .slice(0, 100)
      .map((value) => value.slice(0, 1_000)),
    ...(typeof total === 'number' && { total }),
    ...(typeof hasMore === 'boolean' && { hasMore }),
  };
}
