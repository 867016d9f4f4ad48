import type { SourceHealth, ToolSource } from '../../core/source.js';
import type { Limits, Tool } from '../../core/tool.js';
import { sha256 } from '../../lib/hash.js';
import type { Egress } from '../../net/egress-types.js';
import type { Credential } from './credentials.js';
import { documentBudget, readData } from './document.js';
import { documentOf, fetchBytes, readBytes } from './files.js';
import type { OperationFilter } from './filters.js';
import { offered } from './offer.js';
import { readOverlay, type Overlay } from './overrides.js';
import { toolset, type Budgets, type Toolset, type WithheldOperation } from './toolset.js';
import type { Note } from './model.js';
import { fileWatch } from './watch.js';

export interface OpenApiSourceOptions {
  readonly id: string;
  /** A file, or an http(s) address. */
  readonly document: string;
  /** Where requests go, whatever the document says. */
  readonly baseUrl?: string;
  /** `none` leaves names without the source's id. */
  readonly prefix?: 'none';
  /** A file of overrides. */
  readonly overlay?: string;
  readonly filter?: OperationFilter;
  readonly credentials?: ReadonlyMap<string, Credential>;
  readonly allowExternalRefs?: boolean;
  readonly budgets?: Partial<Budgets>;
  readonly maxDocumentBytes?: number;
  readonly limits?: Partial<Limits>;
  /** How often a document behind an address is fetched again. */
  readonly refreshMs?: number;
  /** How often a file is looked at where the system tells of no change. */
  readonly pollMs?: number;
  /** A way out to these origins and no others; the source ends it. */
  reach(origins: readonly string[]): Egress;
}

/** A source whose operations can be looked into. */
export interface OpenApiSource extends ToolSource {
  withheld(): readonly WithheldOperation[];
  /** What a reader of the document should know; loading went on. */
  notes(): readonly Note[];
  toolset(): Toolset | undefined;
}

export const openApiBudgets: Budgets = {
  toolBytes: 8_192,
  outputBytes: 1_536,
  listBytes: 49_152,
  responseBytes: 10_485_760,
};

/** The operations of an API document as tools. A bad new version of the document leaves the last good one in force. */
export function openApiSource(options: OpenApiSourceOptions): OpenApiSource {
  const { id, document: place } = options;
  const isRemote = /^https?:\/\//i.test(place);
  const budget = { ...documentBudget, maxBytes: options.maxDocumentBytes ?? documentBudget.maxBytes };
  const budgets = { ...openApiBudgets, ...options.budgets };
  const ways = new Map<string, Egress>();
  const listeners = new Set<() => void>();
  let current: { readonly digest: string; readonly set: Toolset; readonly tools: readonly Tool[] } | undefined;
  let problem: string | undefined;
  let stopWatching: (() => void) | undefined;

  const reach = (origins: readonly string[]): Egress => {
    const key = origins.join(' ');
    let way = ways.get(key);
    if (way === undefined) ways.set(key, (way = options.reach(origins)));
    return way;
  };

  /** Reads everything anew and swaps it in at once; the same bytes change nothing. */
  async function load(signal: AbortSignal): Promise<void> {
    const content = isRemote
      ? await fetchBytes(place, reach([new URL(place).origin]), budget.maxBytes, signal)
      : await readBytes(place, budget.maxBytes);
    if (!content.ok) throw new Error(content.problem);
    const overlay = await overlayOf(options.overlay);
    const digest = sha256(`${sha256(content.bytes.toString('base64'))} ${overlay.digest}`);
    if (current?.digest === digest) return;
    const read = await documentOf(content.bytes, {
      budget,
      ...(isRemote ? { url: place } : { file: place }),
      allowNeighbours: options.allowExternalRefs === true,
    });
    if (!read.ok) throw new Error(read.problem);
    const set = toolset(read.document, {
      id,
      reach,
      budgets,
      prefix: options.prefix === 'none' ? undefined : id,
      overlay: overlay.overlay,
      filter: options.filter ?? {},
      credentials: options.credentials ?? new Map(),
      limits: options.limits ?? {},
      ...(options.baseUrl !== undefined && { baseUrl: options.baseUrl }),
    });
    current = { digest, set, tools: offered(set, { id, listBytes: budgets.listBytes }) };
  }

  async function look(): Promise<void> {
    const before = current;
    try {
      await load(AbortSignal.timeout(60_000));
      problem = undefined;
    } catch (error) {
      problem = error instanceof Error ? error.message : String(error);
    }
    if (current !== before) for (const listener of listeners) listener();
  }

  return {
    id,
    async list(signal) {
      if (current === undefined) await load(signal);
      return current?.tools ?? [];
    },
    withheld: () => current?.set.withheld ?? [],
    notes: () => current?.set.notes() ?? [],
    toolset: () => current?.set,
    onChange(listener) {
      listeners.add(listener);
      stopWatching ??= isRemote
        ? repeated(look, options.refreshMs)
        : fileWatch([place, ...(options.overlay === undefined ? [] : [options.overlay])], look, options.pollMs);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        stopWatching?.();
        stopWatching = undefined;
      };
    },
    health(): SourceHealth {
      if (problem !== undefined)
        return { status: 'degraded', detail: `the last good document stays in force: ${problem}` };
      return { status: 'healthy' };
    },
    async close() {
      stopWatching?.();
      stopWatching = undefined;
      await Promise.all([...ways.values()].map((way) => way.close()));
      ways.clear();
    },
  };
}

async function overlayOf(path: string | undefined): Promise<{ readonly overlay: Overlay; readonly digest: string }> {
  if (path === undefined) return { overlay: new Map(), digest: '' };
  const content = await readBytes(path, 1_048_576);
  if (!content.ok) throw new Error(`overlay: ${content.problem}`);
  const data = readData(content.bytes, { ...documentBudget, maxValues: 50_000 });
  if (!data.ok) throw new Error(`overlay: ${data.problem}`);
  const read = readOverlay(data.value);
  if (!read.ok) throw new Error(`overlay: ${read.problem}`);
  return { overlay: read.overlay, digest: sha256(content.bytes.toString('base64')) };
}

/** Asks again and again, never twice at once, without keeping the process alive. */
function repeated(look: () => Promise<void>, everyMs: number | undefined): (() => void) | undefined {
  if (everyMs === undefined) return undefined;
  let running = false;
  const timer = setInterval(() => {
    if (running) return;
    running = true;
    void look().finally(() => {
      running = false;
    });
  }, everyMs).unref();
  return () => clearInterval(timer);
}
