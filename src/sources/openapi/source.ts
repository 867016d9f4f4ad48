import { basename } from 'node:path';
import type { SourceHealth, ToolSource } from '../../core/source.js';
import type { Limits, Tool } from '../../core/tool.js';
import { sha256 } from '../../lib/hash.js';
import type { Egress } from '../../net/egress/egress-types.js';
import type { Timing } from '../http/sender.js';
import type { Preparation } from '../preparation.js';
import type { Credential } from './request/credentials.js';
import { documentBudget, parseData } from './document/parse.js';
import { toDocument, fetchDocumentBytes, readDocumentBytes } from './document/load.js';
import type { OperationFilter } from './tools/filters.js';
import { listTools } from './tools/listing.js';
import { parseOverlay, type Overlay } from './tools/overrides.js';
import { buildToolset, type Budgets, type Toolset, type WithheldOperation } from './tools/toolset.js';
import type { DocumentNote } from './document/model.js';
import { watchFiles } from './document/file-watch.js';

/** What the source is built from. */
export interface OpenApiSourceOptions {
  readonly id: string;
  /** A file path or an http(s) URL. */
  readonly document: string;
  /** Base URL of requests; overrides the servers of the document. */
  readonly baseUrl?: string;
  /** `none` omits the source id from tool names. */
  readonly prefix?: 'none';
  /** Path of the overlay file. */
  readonly overlay?: string;
  readonly filter?: OperationFilter;
  readonly credentials?: ReadonlyMap<string, Credential>;
  readonly allowExternalRefs?: boolean;
  readonly budgets?: Partial<Budgets>;
  readonly maxDocumentBytes?: number;
  readonly limits?: Partial<Limits>;
  /** Interval at which a remote document is fetched again. */
  readonly refreshMs?: number;
  /** Polling interval for files, in addition to file events. */
  readonly pollMs?: number;
  /** Variables for values in the overlay. */
  readonly env?: NodeJS.ProcessEnv;
  /** Total attempts of an operation that is safe to repeat; 1 by default. */
  readonly attempts?: number;
  readonly timing?: Timing;
  /** Whether `describe` is offered even if nothing was abbreviated. */
  readonly describeAlways?: boolean;
  /** Phases of the first listing. */
  readonly preparation?: Preparation;
  /** Opens an egress that is restricted to these origins; the source closes it. */
  openEgress(origins: readonly string[]): Egress;
}

/** A tool source with access to its operations and warnings. */
export interface OpenApiSource extends ToolSource {
  withheld(): readonly WithheldOperation[];
  /** Warnings about the document that did not prevent loading. */
  notes(): readonly DocumentNote[];
  toolset(): Toolset | undefined;
}

/** Sizes that fit common context windows; the configuration can change each. */
const defaultBudgets: Budgets = {
  toolBytes: 8_192,
  outputBytes: 1_536,
  listBytes: 49_152,
  responseBytes: 10_485_760,
};

/** Source of tools for the operations of an API document; if a new version is invalid, the last valid one stays active. */
export function openApiSource(options: OpenApiSourceOptions): OpenApiSource {
  const { id, document: location, preparation } = options;
  const isRemote = /^https?:\/\//i.test(location);
  const budget = { ...documentBudget, maxBytes: options.maxDocumentBytes ?? documentBudget.maxBytes };
  const budgets = { ...defaultBudgets, ...options.budgets };
  const egressByOrigins = new Map<string, Egress>();
  const listeners = new Set<() => void>();
  let current: { readonly digest: string; readonly set: Toolset; readonly tools: readonly Tool[] } | undefined;
  let problem: string | undefined;
  let stopWatching: (() => void) | undefined;

  // One egress per set of origins, which share its connections.
  const egressFor = (origins: readonly string[]): Egress => {
    const key = origins.join(' ');
    let egress = egressByOrigins.get(key);
    if (egress === undefined) egressByOrigins.set(key, (egress = options.openEgress(origins)));
    return egress;
  };

  /** Loads document and overlay and replaces the tools atomically; unchanged bytes are ignored. */
  async function load(signal: AbortSignal): Promise<void> {
    preparation?.enter('read', documentName(location));
    const content = isRemote
      ? await fetchDocumentBytes(location, egressFor([new URL(location).origin]), budget.maxBytes, signal)
      : await readDocumentBytes(location, budget.maxBytes);
    if (!content.ok) throw new Error(content.problem);
    const overlay = await loadOverlay(options.overlay);
    // Both files decide about the tools, so both are in the digest.
    const digest = sha256(`${sha256(content.bytes.toString('base64'))} ${overlay.digest}`);
    // Unchanged: the tools stay the same objects, and guards keep their state.
    if (current?.digest === digest) return;
    const read = await toDocument(content.bytes, {
      budget,
      ...(isRemote ? { url: location } : { file: location }),
      allowSiblings: options.allowExternalRefs === true,
    });
    if (!read.ok) throw new Error(read.problem);
    preparation?.enter('list');
    const set = buildToolset(read.document, {
      id,
      openEgress: egressFor,
      budgets,
      prefix: options.prefix === 'none' ? undefined : id,
      overlay: overlay.overlay,
      filter: options.filter ?? {},
      credentials: options.credentials ?? new Map(),
      limits: options.limits ?? {},
      attempts: options.attempts ?? 1,
      ...(options.timing && { timing: options.timing }),
      ...(options.env && { env: options.env }),
      ...(options.baseUrl !== undefined && { baseUrl: options.baseUrl }),
    });
    const { describeAlways = false } = options;
    // Assigned at the end: until then the previous version answers.
    current = { digest, set, tools: listTools(set, { id, listBytes: budgets.listBytes, describeAlways }) };
  }

  async function reload(): Promise<void> {
    const before = current;
    try {
      // Bounded: a hanging server must not block later reloads.
      await load(AbortSignal.timeout(60_000));
      problem = undefined;
    } catch (error) {
      problem = error instanceof Error ? error.message : String(error);
      if (current === undefined) preparation?.leave();
    }
    if (current !== before) for (const listener of listeners) listener();
  }

  return {
    id,
    async list(signal) {
      try {
        if (current === undefined) await load(signal);
      } finally {
        if (current === undefined) preparation?.leave();
        else preparation?.finish();
      }
      return current?.tools ?? [];
    },
    withheld: () => current?.set.withheld ?? [],
    notes: () => current?.set.notes() ?? [],
    toolset: () => current?.set,
    onChange(listener) {
      listeners.add(listener);
      // Watching starts with the first listener, so that a one-off list leaves no watcher behind.
      stopWatching ??= isRemote
        ? pollEvery(reload, options.refreshMs)
        : watchFiles([location, ...(options.overlay === undefined ? [] : [options.overlay])], reload, options.pollMs);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        stopWatching?.();
        stopWatching = undefined;
      };
    },
    health(): SourceHealth {
      const at = preparation?.current();
      if (at !== undefined)
        return { status: 'unhealthy', detail: `is still starting: ${at.phase}, ${at.seconds} s`, phase: at.phase };
      if (problem !== undefined)
        return { status: 'degraded', detail: `the last valid document stays active: ${problem}` };
      return { status: 'healthy' };
    },
    async close() {
      stopWatching?.();
      stopWatching = undefined;
      await Promise.all([...egressByOrigins.values()].map((egress) => egress.close()));
      egressByOrigins.clear();
    },
  };
}

/** File name, or URL without a query, which may hold a credential. */
const documentName = (location: string): string =>
  URL.canParse(location) && /^https?:/i.test(location)
    ? `${new URL(location).host}${new URL(location).pathname}`
    : basename(location);

/** The overlay with its digest; throws with the reason if it cannot be used. */
async function loadOverlay(path: string | undefined): Promise<{ readonly overlay: Overlay; readonly digest: string }> {
  if (path === undefined) return { overlay: new Map(), digest: '' };
  const content = await readDocumentBytes(path, 1_048_576);
  if (!content.ok) throw new Error(`overlay: ${content.problem}`);
  const data = parseData(content.bytes, { ...documentBudget, maxValues: 50_000 });
  if (!data.ok) throw new Error(`overlay: ${data.problem}`);
  const read = parseOverlay(data.value);
  if (!read.ok) throw new Error(`overlay: ${read.problem}`);
  return { overlay: read.overlay, digest: sha256(content.bytes.toString('base64')) };
}

/** Calls `reload` at an interval, never concurrently, without keeping the process alive. */
function pollEvery(reload: () => Promise<void>, everyMs: number | undefined): (() => void) | undefined {
  if (everyMs === undefined) return undefined;
  let running = false;
  const timer = setInterval(() => {
    if (running) return;
    running = true;
    void reload().finally(() => {
      running = false;
    });
  }, everyMs).unref();
  return () => clearInterval(timer);
}
