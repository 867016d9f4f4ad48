import type { Call } from '../../core/call.js';
import type { JsonObject } from '../../core/json.js';
import type { Completion, Prompt, Resource, ResourceTemplate } from '../../core/prompt.js';
import type { SourceHealth, ToolSource, Withheld } from '../../core/source.js';
import type { Limits, Tool } from '../../core/tool.js';
import { isObject } from '../../wire/message.js';
import { calmly } from './calmly.js';
import type { Ended, OpenChannel } from './channel.js';
import type { Item } from './definitions.js';
import type { Era } from './handshake.js';
import { listBudget } from './inventory.js';
import type { ListBudget } from './inventory.js';
import { offerPrompt, offerResource, offerTemplate, offerTool } from './offers.js';
import type { Offering } from './offers.js';
import { pool, poolLimits } from './pool.js';
import type { PoolLimits } from './pool.js';
import { relay } from './relay.js';
import type { ParkLimits } from './parked.js';
import { session } from './session.js';
import type { Session } from './session.js';
import { takeStock } from './stock.js';
import type { Stock } from './stock.js';
import { watches } from './watches.js';

/** Decides which items are offered; the map holds why the others are not. */
export type Admit = (
  items: readonly Item[],
  server: { readonly name: string; readonly version: string; readonly instructions?: string },
) => Promise<ReadonlyMap<Item, string>>;

export interface McpSourceOptions {
  readonly id: string;
  /** What names begin with; absent where they are offered as they are. */
  readonly prefix?: string;
  /** What the source really is, whatever it is called: a package, an address, a command line. */
  readonly identity?: string;
  readonly open: OpenChannel;
  readonly remote: boolean;
  readonly era: Era;
  readonly clientInfo: { readonly name: string; readonly version: string };
  readonly limits: Limits;
  /** Who shares a conversation with whom. */
  readonly sharing: 'principal' | 'session' | 'all';
  /** In whose name lists are read, where names matter; in nobody's unless told. */
  readonly listAs?: string;
  readonly connectMs: number;
  /** How long the first listing is waited for; after that the source comes when it comes. */
  readonly startupMs: number;
  readonly pool?: Partial<PoolLimits>;
  readonly budget?: Partial<ListBudget>;
  readonly park?: Partial<ParkLimits>;
  readonly admit?: Admit;
  onEvent?(event: string, fields: JsonObject): void;
}

/** An upstream MCP server as a source. */
export interface McpSource extends ToolSource {
  /** What the server said about itself at the last connect, and how it stands. */
  state(): {
    readonly server?: { readonly name: string; readonly version: string };
    readonly revision?: string;
    readonly open: number;
    readonly problem?: string;
  };
}

interface Shelf {
  readonly tools: readonly Tool[];
  readonly prompts: readonly Prompt[];
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplate[];
  readonly withheld: readonly Withheld[];
}

const empty: Shelf = { tools: [], prompts: [], resources: [], templates: [], withheld: [] };

/** Offers what an upstream server offers, through connections of its own. */
export function mcpSource(options: McpSourceOptions): McpSource {
  const { id, remote, sharing, listAs = '', onEvent = () => {} } = options;
  const budget = { ...listBudget, ...options.budget };
  const listeners = new Set<() => void>();
  let verdict: Era = options.era;
  let introduced: Session['introduction'] | undefined;
  let shelf: Shelf | undefined;
  let loading: Promise<Shelf> | undefined;
  let problem: Ended | undefined;
  let closed = false;

  const changes = calmly(() => {
    for (const listener of listeners) listener();
    // Whoever listens asks for the list; the next change is told when that is done.
    return loading?.catch(() => undefined);
  });
  const changed = changes.happen;

  const connect = async (signal: AbortSignal, owner: string): Promise<Session | Ended> => {
    const opened = await session({
      open: options.open,
      owner,
      era: verdict,
      first: remote ? 'modern' : 'legacy',
      handshake: { clientInfo: options.clientInfo, timeoutMs: options.connectMs, signal },
      events: {
        listChanged: changed,
        updated: (uri) => watching.updated(uri),
        ended(end) {
          if (!closed)
            onEvent('upstream.closed', {
              source: id,
              message: end.message,
              ...(end.stderr !== undefined && { stderr: end.stderr }),
            });
        },
      },
    });
    if (!('ask' in opened)) {
      // A server may have been replaced by one of the other era.
      if (options.era === 'auto') verdict = 'auto';
      return opened;
    }
    introduced = opened.introduction;
    if (options.era === 'auto') verdict = introduced.modern ? 'modern' : 'legacy';
    onEvent('upstream.connected', {
      source: id,
      server: introduced.server.name,
      version: introduced.server.version,
      revision: introduced.version,
    });
    watching.connected(opened);
    return opened;
  };
  const connections = pool({ open: connect, limits: { ...poolLimits, ...options.pool } });
  const watching = watches({
    connectMs: options.connectMs,
    lease: async () => connections.lease(listAs),
    listChanged: changed,
  });

  const ownerOf = ({ principal, session: of }: Call): string =>
    sharing === 'all' ? 'all' : sharing === 'principal' ? principal.id : `${principal.id}\n${of ?? ''}`;
  const relayed = relay({
    source: id,
    remote,
    pool: connections,
    ownerOf,
    ...(options.park && { park: options.park }),
  });

  const offering: Offering = {
    source: id,
    identity: options.identity ?? id,
    limits: options.limits,
    remote,
    ...(options.prefix !== undefined && { prefix: options.prefix }),
    relay: relayed,
    watch: (uri, tell) => watching.watch(uri, tell),
    async complete(ref, argument, value, context, call) {
      if (introduced && !isObject(introduced.capabilities['completions'])) return { values: [] };
      // In the caller's own name: what is suggested is often what only they may see.
      const lease = await connections.lease(ownerOf(call), call.signal);
      if (!('session' in lease)) return { values: [] };
      const reply = isObject(lease.session.introduction.capabilities['completions'])
        ? await lease.session.ask(
            'completion/complete',
            { ref, argument: { name: argument, value }, context: { arguments: context } },
            { timeoutMs: options.connectMs, signal: call.signal },
          )
        : undefined;
      lease.release(!lease.session.end);
      return completionOf(reply && 'result' in reply ? reply.result : {});
    },
  };

  async function load(signal: AbortSignal): Promise<Shelf> {
    const lease = await connections.lease(listAs, signal);
    if (!('session' in lease)) throw new Error(sentence(lease));
    const stock: Stock | { readonly problem: string } = await takeStock(lease.session, budget, signal);
    const { server, instructions } = lease.session.introduction;
    lease.release(!('problem' in stock));
    if ('problem' in stock) throw new Error(lease.session.end ? sentence(lease.session.end) : stock.problem);
    const refused =
      (await options.admit?.(stock.items, { ...server, ...(instructions !== undefined && { instructions }) })) ??
      new Map<Item, string>();
    const served = stock.items.filter((item) => !refused.has(item));
    const of = (kind: Item['kind']): readonly Item[] => served.filter((item) => item.kind === kind);
    return {
      tools: of('tool').map((item) => offerTool(item, offering)),
      prompts: of('prompt').map((item) => offerPrompt(item, offering)),
      resources: of('resource').map((item) => offerResource(item, offering)),
      templates: of('template').map((item) => offerTemplate(item, offering)),
      withheld: [...stock.withheld, ...[...refused].map(([{ kind, name }, why]) => ({ what: `${kind} ${name}`, why }))],
    };
  }

  /** One load at a time; whoever asks meanwhile gets the same one. */
  function reload(signal: AbortSignal): Promise<Shelf> {
    loading ??= load(signal)
      .then(
        (loaded) => {
          problem = undefined;
          shelf = loaded;
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

  async function list(signal: AbortSignal): Promise<Shelf> {
    const coming = reload(signal);
    if (shelf) return coming;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'late'>((resolve) => (timer = setTimeout(() => resolve('late'), options.startupMs)));
    const first = await Promise.race([coming, late]).finally(() => clearTimeout(timer));
    if (first !== 'late') return first;
    // Whether it works out or not, whoever lists next hears of it.
    coming.then(changed, changed);
    problem ??= { message: `is still starting after ${options.startupMs / 1000} s` };
    return { ...empty, withheld: [{ what: id, why: problem.message }] };
  }

  /** What the latest list() gave: whoever asks for prompts must not wait longer than those who ask for tools. */
  let listed: Promise<Shelf> | undefined;
  const already = async (): Promise<Shelf> => {
    try {
      return (await listed) ?? empty;
    } catch {
      return shelf ?? empty; // list() tells why
    }
  };

  return {
    id,
    list: async (signal) => (await (listed = list(signal))).tools,
    prompts: async () => (await already()).prompts,
    resources: async () => (await already()).resources,
    templates: async () => (await already()).templates,
    withheld: () => shelf?.withheld ?? (problem ? [{ what: id, why: problem.message }] : []),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    health(): SourceHealth {
      const { resting } = connections.state();
      if (resting) return { status: 'unhealthy', detail: sentence(resting) };
      if (problem) return { status: 'unhealthy', detail: problem.message };
      return shelf && shelf.withheld.length > 0
        ? { status: 'degraded', detail: `${shelf.withheld.length} withheld` }
        : { status: 'healthy' };
    },
    state: () => ({
      open: connections.state().open,
      ...(introduced && { server: introduced.server, revision: introduced.version }),
      ...(problem && { problem: problem.message }),
    }),
    async close() {
      closed = true;
      changes.close();
      listeners.clear();
      relayed.close();
      watching.close();
      await connections.close();
    },
  };
}

const sentence = ({ message, stderr }: Ended): string =>
  stderr === undefined ? message : `${message}; stderr: ${stderr}`;

function completionOf({ completion }: JsonObject): Completion {
  if (!isObject(completion) || !Array.isArray(completion['values'])) return { values: [] };
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
