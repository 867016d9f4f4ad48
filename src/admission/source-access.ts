import type { Door } from '../core/call.js';
import type { Json, JsonObject } from '../core/json.js';
import type { Principal } from '../core/principal.js';
import type { SourceDetails, SourceHealth, ToolSource, Withheld } from '../core/source.js';
import { processTree } from '../processes/index.js';
import type { Tool } from '../core/tool.js';
import { escapeInvisible } from '../lib/text/escape-invisible.js';
import type { SourceLine } from '../observe/source-log.js';
import type { AdmissionRecord } from './evidence.js';
import { diffPending } from './pins/pin-diff.js';
import type { PinStore } from './pins/pin-files.js';
import { approvePins, pendingDigest, rejectPins, type PinBook } from './pins/pins.js';
import type { ScanCache } from './scan/cache.js';
import type { ScanHistory } from './scan/scan-history.js';
import { codeExcerpts } from './code-excerpt.js';
import { versionDifference } from './version-difference.js';

type SourceAction = 'pins_approve' | 'pins_reject' | 'source_refresh' | 'source_restart';

interface SourceAccessOptions {
  /** Configured ids with the kind of each. */
  readonly configured: () => Readonly<Record<string, { readonly kind: string; readonly description?: unknown }>>;
  readonly health: () => Readonly<Record<string, SourceHealth>>;
  readonly withheld: () => readonly (Withheld & { readonly source: string })[];
  readonly tools: () => Iterable<Tool>;
  readonly refresh: (signal: AbortSignal, id: string) => Promise<void>;
  readonly admission: (id: string) => AdmissionRecord | undefined;
  readonly pins: PinStore;
  readonly scans: ScanCache;
  readonly history: ScanHistory;
  readonly sources: () => readonly ToolSource[];
  readonly lines: (id: string, after: number) => readonly SourceLine[];
  readonly record: (action: SourceAction, target: string, by: Principal, door: Door) => void;
}

/** JSON text of a value of an untrusted source, whole, since an approval covers all of it, with hidden characters visible. */
const visibleJson = (value: Json | undefined): string | null => {
  if (value === undefined) return null;
  return escapeInvisible(typeof value === 'string' ? value : JSON.stringify(value));
};

/** Sources for administrators over HTTP: state, pins and screening. */
export function sourceAccess(options: SourceAccessOptions) {
  const { configured, health, withheld, tools, admission, pins, scans } = options;
  const isId = (id: string): boolean => Object.hasOwn(configured(), id) || Object.hasOwn(health(), id);
  const summary = (id: string): JsonObject => {
    const entry = Object.hasOwn(configured(), id) ? configured()[id] : undefined;
    const state = Object.hasOwn(health(), id) ? health()[id] : undefined;
    const book = safeBook(pins, id);
    const record = admission(id);
    return {
      id,
      kind: entry?.kind ?? 'gateway',
      ...(typeof entry?.description === 'string' && { description: entry.description }),
      status: state?.status ?? 'unknown',
      detail: state?.detail === undefined ? null : escapeInvisible(state.detail),
      sandbox: state?.sandbox ?? null,
      tools: [...tools()].filter(({ source }) => source === id).length,
      withheld: withheld().filter(({ source }) => source === id).length,
      pending: Object.values(book?.pending ?? {}).filter(({ rejected }) => rejected === undefined).length,
      phase: state?.phase ?? null,
      retry_in_seconds: state?.retryInSeconds ?? null,
      admission: record?.decision ?? null,
    };
  };
  /** Decides about pending definitions if they are still those that `seen` stands for, in the stored book (TOCTOU). */
  const decideShown = async (
    { id, items, seen }: { readonly id: string; readonly items: readonly string[]; readonly seen: string },
    record: () => void,
    decide: (book: PinBook, keys: readonly string[]) => PinBook,
  ): Promise<{ readonly keys: readonly string[] } | { readonly why: 'unknown' | 'changed' }> => {
    const shownKeys = (book: PinBook): readonly string[] | undefined => {
      const keys = Object.keys(book.pending).filter((key) => items.includes(escapeInvisible(key)));
      return keys.length !== items.length || pendingDigest(book, keys) !== seen ? undefined : keys;
    };
    const book = isId(id) ? safeBook(pins, id) : undefined;
    if (book === undefined) return { why: 'unknown' };
    if (shownKeys(book) === undefined) return { why: 'changed' };
    let decided: readonly string[] | undefined;
    await pins.update(id, (current) => {
      // Another operator or replica may have changed the book since.
      decided = current && shownKeys(current);
      return current && decided && decide(current, decided);
    });
    if (decided === undefined) return { why: 'changed' };
    record();
    return { keys: decided };
  };
  return {
    list: (): readonly JsonObject[] =>
      [...new Set([...Object.keys(configured()), ...Object.keys(health())])].sort().map(summary),
    find(id: string): JsonObject | undefined {
      if (!isId(id)) return undefined;
      const record = admission(id);
      const { source: _, root: _root, scan: _scan, ...evidence } = record ?? { source: id };
      return {
        ...summary(id),
        ...(record && { evidence: withVisibleText(evidence) as JsonObject }),
        tool_names: [...tools()].filter(({ source }) => source === id).map(({ name }) => name),
        withheld_items: withheld()
          .filter(({ source }) => source === id)
          .map(({ what, why }) => ({ what: escapeInvisible(what), why: escapeInvisible(why) })),
        runtime: runtimeOf(options.sources().find((source) => source.id === id)),
      };
    },
    refresh(id: string, signal: AbortSignal, by: Principal, door: Door): Promise<void> {
      options.record('source_refresh', id, by, door);
      return options.refresh(signal, id);
    },
    restart(id: string, signal: AbortSignal, by: Principal, door: Door): Promise<void> | undefined {
      const source = options.sources().find((each) => each.id === id);
      if (source?.restart === undefined) return undefined;
      options.record('source_restart', id, by, door);
      source.restart();
      return options.refresh(signal, id);
    },
    lines: (id: string, after: number): JsonObject | undefined =>
      isId(id) ? { lines: options.lines(id, after).map((line) => ({ ...line })) } : undefined,
    pins(id: string): JsonObject | undefined {
      if (!isId(id)) return undefined;
      const book = safeBook(pins, id);
      if (book === undefined) return { pinned: [], pending: [] };
      return {
        server: book.server
          ? { name: escapeInvisible(book.server.name), version: escapeInvisible(book.server.version) }
          : null,
        pinned: Object.entries(book.pins).map(([key, { hash, at, by }]) => ({
          item: escapeInvisible(key),
          hash,
          at,
          by,
        })),
        pending: Object.entries(book.pending).map(([key, { definition, why, since, rejected }]) => ({
          item: escapeInvisible(key),
          why: escapeInvisible(why),
          since,
          rejected: rejected ?? null,
          seen: pendingDigest(book, [key]),
          differences: diffPending(
            key,
            Object.hasOwn(book.pins, key) ? book.pins[key]?.definition : undefined,
            definition,
          ).map(({ path, before, after }) => ({
            path: escapeInvisible(path),
            before: visibleJson(before),
            after: visibleJson(after),
          })),
        })),
      };
    },
    async approvePins(id: string, items: readonly string[], seen: string, by: Principal, door: Door) {
      const decided = await decideShown(
        { id, items, seen },
        () => options.record('pins_approve', id, by, door),
        (book, keys) => approvePins(book, keys, new Date().toISOString()).book,
      );
      if ('why' in decided) return decided;
      void options.refresh(new AbortController().signal, id);
      return { approved: decided.keys };
    },
    async rejectPins(id: string, items: readonly string[], seen: string, by: Principal, door: Door) {
      const decided = await decideShown(
        { id, items, seen },
        () => options.record('pins_reject', id, by, door),
        (book, keys) => rejectPins(book, keys, { at: new Date().toISOString(), by: by.id }),
      );
      return 'why' in decided ? decided : { rejected: decided.keys };
    },
    async screening(id: string): Promise<JsonObject | undefined> {
      if (!isId(id)) return undefined;
      const record = admission(id);
      if (record === undefined) return { decision: null };
      const scan = record.scan === undefined ? undefined : await scans.get(record.scan);
      return {
        decision: record.decision,
        reasons: record.reasons.map(escapeInvisible),
        unknown: record.unknown === undefined ? null : escapeInvisible(record.unknown),
        content: record.content ?? null,
        differences: record.differences as unknown as Json, // plain JSON
        versions: ((await versionDifference(id, options.history, scans)) ?? null) as Json,
        report:
          scan === undefined
            ? null
            : (withVisibleText({
                findings: await withCode(scan.findings.slice(0, 200), record.root),
                gaps: scan.gaps.slice(0, 200),
                capabilities: scan.capabilities,
              }) as JsonObject),
      };
    },
  };
}

/** Runtime facts of a source, with text of the server made visible. */
function runtimeOf(source: ToolSource | undefined): JsonObject | null {
  const details: SourceDetails | undefined = source?.details?.();
  if (details === undefined) return null;
  const { server, revision, connections, starts, pids, stderr, lastEnd, phases } = details;
  return {
    server: server ? { name: escapeInvisible(server.name), version: escapeInvisible(server.version) } : null,
    revision: revision ?? null,
    connections,
    restarts: Math.max(0, starts - 1),
    can_restart: source?.restart !== undefined,
    phases: phases.map(({ phase, startedAt, durationMs }) => ({
      phase,
      started_at: startedAt,
      duration_ms: durationMs ?? null,
    })),
    processes: processTree(pids).map(({ pid, parent, depth, name, memoryMb }) => ({
      pid,
      parent,
      depth,
      name: escapeInvisible(name),
      memory_mb: memoryMb,
    })),
    stderr: stderr === undefined ? null : stderr.split('\n').slice(-40).map(escapeInvisible),
    last_end: lastEnd ? { at: lastEnd.at, message: escapeInvisible(lastEnd.message) } : null,
  };
}

/** Findings with the lines of code at each step from parameter to sink. */
async function withCode<
  T extends {
    readonly location: { readonly file: string; readonly startLine: number };
    readonly flow?:
      | readonly { readonly at: { readonly file: string; readonly startLine: number }; readonly says: string }[]
      | undefined;
  },
>(findings: readonly T[], root: string | undefined): Promise<readonly unknown[]> {
  if (root === undefined) return findings;
  const excerpt = codeExcerpts(root);
  return Promise.all(
    findings.map(async (finding) => ({
      ...finding,
      code: await excerpt(finding.location.file, finding.location.startLine),
      flow: await Promise.all(
        (finding.flow ?? []).map(async (step) => ({
          ...step,
          code: await excerpt(step.at.file, step.at.startLine),
        })),
      ),
    })),
  );
}

/** A damaged pin file stops its source and is reported there; here it counts as unknown. */
function safeBook(pins: PinStore, id: string) {
  try {
    return /^[A-Za-z0-9_-]{1,64}$/.test(id) ? pins.read(id) : undefined;
  } catch {
    return undefined;
  }
}

/** Every text of a value with hidden characters visible. */
function withVisibleText(value: unknown): unknown {
  if (typeof value === 'string') return escapeInvisible(value);
  if (Array.isArray(value)) return value.map(withVisibleText);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withVisibleText(each)]));
}
