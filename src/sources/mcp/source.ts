import type { Call } from '../../core/call.js';
import type { JsonObject } from '../../core/json.js';
import { refuse } from '../../core/outcome.js';
import type { SourceHealth, ToolSource, Withheld } from '../../core/source.js';
import type { DeclaredLimits } from '../../core/tool.js';
import type { SourcePeers } from '../source-peers.js';
import { backoffDebounce } from './backoff-debounce.js';
import { readCatalog } from './catalog/catalog.js';
import type { ListOwner } from './catalog/catalog.js';
import { relayedCompletion } from './catalog/completion.js';
import type { CatalogItem } from './catalog/definitions.js';
import { emptyListing, toListing } from './catalog/listing.js';
import type { Admitted, Listing } from './catalog/listing.js';
import { defaultListBudget } from './catalog/paged-list.js';
import type { ListBudget } from './catalog/paged-list.js';
import type { ItemContext } from './catalog/relayed-items.js';
import type { ChannelEnd, OpenChannel } from './channels/channel.js';
import { channelLog } from './channels/channel-log.js';
import { personalResources } from './personal-resources.js';
import type { Preparation } from '../preparation.js';
import { stderrSummary } from './channels/stderr-summary.js';
import { placedServer, type ReadCatalog } from './placed-server.js';
import type { PendingCallLimits } from './relay/pending-calls.js';
import { relay } from './relay/relay.js';
import { connector } from './sessions/connector.js';
import type { Era } from './sessions/handshake.js';
import { sessionPool, defaultPoolLimits } from './sessions/session-pool.js';
import type { Lease, PoolLimits } from './sessions/session-pool.js';
import { subscriptions as upstreamSubscriptions } from './sessions/subscriptions.js';
import { sourceListing } from './source-listing.js';

/** Admission policy for items and instructions of a server. */
export type Admit = (
  items: readonly CatalogItem[],
  server: { readonly name: string; readonly version: string; readonly instructions?: string },
) => Promise<Admitted>;

/** What the source is built from. */
export interface McpSourceOptions {
  readonly id: string;
  /** Prefix of names; absent if they are offered unchanged. */
  readonly prefix?: string;
  /** Stable identity, independent of the id: package, URL or command line. */
  readonly identity?: string;
  /** The program without its arguments. */
  readonly program?: string;
  readonly open: OpenChannel;
  readonly remote: boolean;
  readonly era: Era;
  readonly clientInfo: { readonly name: string; readonly version: string };
  readonly limits: DeclaredLimits;
  /** Which callers share a session. */
  readonly sharing: 'principal' | 'session' | 'all';
  /**
   * Principal whose login lists tools and prompts, if each principal has a separate login; resources are then listed for each
   * principal with its own. By default all lists are shared and read without a principal.
   */
  readonly listAs?: string;
  readonly connectMs: number;
  /** Longest wait for the first listing; later the source appears when it is ready. */
  readonly startupMs: number;
  readonly pool?: Partial<PoolLimits>;
  readonly budget?: Partial<ListBudget>;
  readonly pendingCallLimits?: Partial<PendingCallLimits>;
  readonly peers?: SourcePeers | undefined;
  /** Replicas that run the server: each, one for all, or one per connection. */
  readonly placement?: 'each' | 'one' | 'session';
  readonly admit?: Admit;
  /** Admission of the resources of one principal. */
  readonly admitPersonal?: Admit;
  /** Phases before the first list. */
  readonly preparation?: Preparation;
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

/** Smaller than that of the shared lists, because one is kept for each principal. */
const personalBudget = { maxBytes: 1024 * 1024 };

/** Source of the tools, prompts and resources of one upstream server, with its own session pool. */
export function mcpSource(options: McpSourceOptions): McpSource {
  const { id, remote, onEvent = () => {}, preparation } = options;
  const budget = { ...defaultListBudget, ...options.budget };
  const listeners = new Set<() => void>();

  /** Whether the first list was reported. */
  let isReported = false;
  const changes = backoffDebounce(() => {
    personal?.invalidate();
    placed?.changed();
    for (const listener of listeners) listener();
    // Listeners reload the list; the next notification waits until that is done.
    return listing.loading()?.catch(() => undefined);
  });

  const channels = channelLog(options.open);
  const server = connector({
    source: id,
    open: channels.open,
    remote,
    era: options.era,
    clientInfo: options.clientInfo,
    connectMs: options.connectMs,
    onEvent,
    onListChanged: changes.trigger,
    onConnect: (session) => subscriptions.onConnect(session),
    onUpdate: (session, uri) => subscriptions.onUpdate(session, uri),
    onEnd: (session) => subscriptions.onEnd(session),
    onChannelEnd: channels.ended,
  });
  const poolLimits = { ...defaultPoolLimits, ...options.pool };
  const pool = sessionPool({ open: server.connect, limits: poolLimits });
  const subscriptions = upstreamSubscriptions({
    source: id,
    remote,
    connectMs: options.connectMs,
    lease: (owner) => pool.lease(owner),
    // Half of the connections: subscriptions must not take those that calls need.
    limits: { total: 1_000, perPrincipal: 250, owners: Math.max(1, Math.floor(poolLimits.maxSessions / 2)) },
  });

  const ownerOf = sessionOwner(options.sharing);
  const { peers, placement = 'each' } = options;
  const placed =
    peers === undefined || placement === 'each'
      ? undefined
      : placedServer({
          source: id,
          peers,
          placement,
          ownerOf,
          readHere: read,
          endHere: () => pool.restart(),
          onChange: () => changes.trigger(),
        });
  /** Whether the server of a call runs on another replica; only calls, prompts and resources are forwarded there. */
  const isElsewhere = async (call: Call): Promise<boolean> =>
    placed !== undefined && (await placed.holderOf(call)).at !== 'here';
  const callRelay = relay({
    source: id,
    remote,
    pool,
    ownerOf,
    offersRoots: options.sharing !== 'all',
    peers,
    holderOf: placed?.holderOf,
    ...(options.pendingCallLimits && { pendingCallLimits: options.pendingCallLimits }),
  });
  const complete = relayedCompletion({
    pool,
    ownerOf,
    timeoutMs: options.connectMs,
    capabilities: () => server.peer()?.capabilities,
  });
  const context: ItemContext = {
    source: id,
    identity: options.identity ?? id,
    ...(options.program !== undefined && { program: options.program }),
    limits: options.limits,
    remote,
    ...(options.prefix !== undefined && { prefix: options.prefix }),
    relay: callRelay,
    recovery: pool.recovery,
    subscribe: async (call, changed) =>
      (await isElsewhere(call))
        ? refuse('upstream_refused', `${id} runs on another replica, which cannot report changes here`)
        : subscriptions.watch(ownerOf(call), call, String(call.args['uri']), changed),
    complete: async (ref, argument, value, given, call) =>
      (await isElsewhere(call)) ? { values: [] } : complete(ref, argument, value, given, call),
  };

  async function read(signal: AbortSignal): Promise<ReadCatalog> {
    // An empty owner is the shared connection for lists.
    const lease = await pool.lease(options.listAs ?? '', signal);
    if (!('session' in lease)) throw new Error(endMessage(lease));
    if (!listing.good()) preparation?.enter('list');
    return readWith(lease, options.listAs === undefined ? 'all' : 'shared', budget, signal);
  }

  async function readWith(
    { session, release }: Lease,
    of: ListOwner,
    within: ListBudget,
    signal?: AbortSignal,
  ): Promise<ReadCatalog> {
    const catalog = await readCatalog(session, within, signal, of);
    const { server: about, instructions } = session.peer;
    // Released before admission, which may take long and needs no connection.
    release('problem' in catalog ? 'failed' : 'answered');
    if ('problem' in catalog) throw new Error(session.end ? endMessage(session.end) : catalog.problem);
    return { catalog, about, instructions };
  }

  // Resources of one principal, read with its own login.
  async function loadPersonal(principal: string): Promise<Listing> {
    const lease = await pool.lease(ownerKey(principal));
    if (!('session' in lease)) {
      // Not logged in: an empty list, because the other principals are not affected.
      if (lease.needsAction === true) return emptyListing;
      throw new Error(endMessage(lease));
    }
    const found = await readWith(lease, 'personal', { ...budget, ...personalBudget });
    return toAdmittedListing(found, options.admitPersonal);
  }

  const load = async (signal: AbortSignal): Promise<Listing> =>
    toAdmittedListing(await (placed?.read ?? read)(signal), options.admit);

  async function toAdmittedListing(
    { catalog, about, instructions }: ReadCatalog,
    admit: Admit | undefined,
  ): Promise<Listing> {
    const admitted = await admit?.(catalog.items, { ...about, ...(instructions !== undefined && { instructions }) });
    return toListing(catalog, admitted ?? { rejected: new Map() }, context);
  }
  const personal =
    options.listAs === undefined
      ? undefined
      : personalResources({ read: loadPersonal, onLate: () => listeners.forEach((listener) => listener()) });
  const listing = sourceListing({
    id,
    remote,
    load,
    startupMs: options.startupMs,
    preparation,
    onLate: changes.trigger,
  });

  function health(): SourceHealth {
    const { backOff, unanswered } = pool.state();
    const phase = preparation?.current()?.phase;
    const problem = listing.problem();
    // The most recent problem first: a source in back-off explains itself better than by an old listing error.
    if (backOff) return { status: 'unhealthy', detail: endMessage(backOff) };
    if (phase !== undefined) return { status: 'unhealthy', detail: listing.stillStarting(), phase };
    if (problem !== undefined) return { status: 'unhealthy', detail: problem };
    if (unanswered) return { status: 'unhealthy', detail: endMessage(unanswered) };
    const withheld = listing.good()?.withheld.length ?? 0;
    return withheld > 0 ? { status: 'degraded', detail: `${withheld} withheld` } : { status: 'healthy' };
  }

  function withheld(): readonly Withheld[] {
    const problem = listing.problem();
    const why = problem ?? (listing.loading() ? listing.stillStarting() : undefined);
    // Before the first list the whole source counts as withheld, with the reason.
    return listing.good()?.withheld ?? (why === undefined ? [] : [{ what: id, why }]);
  }

  return {
    id,
    ...(options.identity !== undefined && { identity: options.identity }),
    isListed: () => listing.good() !== undefined,
    async list(signal) {
      const { tools } = await listing.list(signal);
      if (!isReported && listing.good() !== undefined) {
        isReported = true;
        onEvent('source.ready', { source: id, tools: tools.length });
      }
      return tools;
    },
    prompts: async () => (await listing.latest()).prompts,
    resources: async () => (await listing.latest()).resources,
    templates: async () => (await listing.latest()).templates,
    ...(personal && { personal }),
    instructions: () => listing.good()?.instructions,
    withheld,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    health,
    details() {
      const peer = server.peer();
      return {
        ...channels.details(),
        phases: preparation?.phases() ?? [],
        ...(peer && { server: peer.server, revision: peer.version }),
      };
    },
    restart: pool.restart,
    state() {
      const peer = server.peer();
      const problem = listing.problem();
      return {
        open: pool.state().open,
        ...(peer && { server: peer.server, revision: peer.version }),
        ...(problem !== undefined && { problem }),
      };
    },
    async close() {
      // New connections are refused first; then everything that could ask for one is closed.
      server.close();
      changes.close();
      listeners.clear();
      callRelay.close();
      subscriptions.close();
      await pool.close();
      await placed?.close();
    },
  };
}

/** The empty key is that of the gateway itself, which lists in any session; a principal must not get it by an empty id. */
const ownerKey = (principal: string): string => (principal === '' ? '\n' : principal);

/** Key of the session that a call uses, by the callers who share sessions. */
const sessionOwner =
  (sharing: McpSourceOptions['sharing']) =>
  ({ principal, session }: Call): string =>
    sharing === 'all' ? 'all' : sharing === 'principal' ? ownerKey(principal.id) : `${principal.id}\n${session ?? ''}`;

/** Message about an end, with the last lines that the server wrote. */
const endMessage = ({ message, stderr }: ChannelEnd): string =>
  stderr === undefined ? message : `${message}; stderr: ${stderrSummary(stderr)}`;
