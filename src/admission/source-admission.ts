import type { JsonObject } from '../core/json.js';
import { sha256 } from '../lib/hash.js';
import { lru } from '../lib/lru.js';
import type { PinBook } from './pins/pins.js';
import { pinHash, sourceScanKey } from './pins/pins.js';
import { compareSurface, type Difference, type LiveTool } from '../scanner/admission/compare.js';
import type { ChannelEnd } from '../sources/mcp/channels/channel.js';
import type { LaunchCommand } from '../sources/mcp/channels/local-channel.js';
import type { RegistryListing } from '../sources/mcp/registration/registry-lookup.js';
import { sourceIdentity } from '../sources/mcp/admission.js';
import { pinBookFor } from './definitions.js';
import type { McpConfig } from '../sources/mcp/config.js';
import type { SurfaceLock } from '../sources/mcp/packages/package-lock.js';
import type { PinFiles } from './pins/pin-files.js';
import { locateCode } from './code-location.js';
import { evidenceOf, type AdmissionRecord } from './evidence.js';
import type { HashContent } from './content-hash.js';
import type { ScanResult, ScanFailure } from './scan/result.js';
import type { ScanCache } from './scan/cache.js';
import type { RunScan } from './scan/runner.js';
import { decideAdmission, admissionPolicyOf, type AdmissionReason, type SourceDecision } from './decision.js';

/** Scans the code of local servers before they start and decides whether they may. */
export interface SourceAdmission {
  /** Undefined if the server may start, else the reason against it. */
  admit(id: string, config: McpConfig, command: LaunchCommand): Promise<ChannelEnd | undefined>;
  /** Differences between the live tools and the scanned code; empty if there is no scan result. */
  compare(id: string, live: readonly LiveTool[]): readonly Difference[];
  record(id: string): AdmissionRecord | undefined;
}

export interface SourceAdmissionOptions {
  readonly base: string;
  /** Part of the cache key: results of other scanner versions are not reused. */
  readonly version: string;
  readonly runScan: RunScan;
  readonly cache: ScanCache;
  readonly hashContent: HashContent;
  readonly files: PinFiles;
  readonly lock: SurfaceLock;
  /** Looks a server up in the configured registry; undefined without one. */
  readonly lookup: (name: string) => Promise<RegistryListing | undefined>;
  onEvent(event: string, fields: JsonObject): void;
  /** Called once for each new decision. */
  onDecision(screening: AdmissionRecord): void;
  readonly now?: () => Date;
}

const registryWaitMs = 1_000;

/** Admission before a start: scans the code, applies the policy, and quarantines the source until an operator approves if required. */
export function sourceAdmission(options: SourceAdmissionOptions): SourceAdmission {
  const {
    base,
    version,
    runScan: read,
    cache: readings,
    hashContent: contentOf,
    files,
    lock,
    lookup,
    onEvent,
    onDecision,
    now = () => new Date(),
  } = options;
  const latest = new Map<string, AdmissionRecord>();
  const surfaces = new Map<string, ScanResult['surface']>();
  const admittedStates = new Map<string, string>();
  const reported = new Map<string, string>();
  const running = new Map<string, Promise<ChannelEnd | undefined>>();
  const incompleteScans = lru<string, ScanResult | ScanFailure>(1_000);

  /** Scans the folder, or returns the cached result for the same content. */
  async function scanResultFor(
    config: McpConfig,
    root: string,
    entry: string | undefined,
  ): Promise<{ readonly read: ScanResult | ScanFailure; readonly content?: string }> {
    try {
      const whole = await contentOf(root);
      // The folder is too large to hash, so only the entry script is scanned.
      const only = whole === undefined && entry !== undefined ? `${root}/${entry}` : undefined;
      const content = whole ?? (only === undefined ? undefined : await contentOf(only));
      if (content === undefined) return { read: { unread: 'its folder is too large to scan' } };
      const key = sha256([version, content, entry ?? '', only ?? ''].join('\n'));
      const kept = (await readings.get(key)) ?? incompleteScans.get(key);
      if (kept) return { read: kept, content };
      const made = await read({
        root: only ?? root,
        ...(entry !== undefined && only === undefined && { entry }),
        timeoutMs: config.scan.timeout * 1000,
        memoryMb: config.scan.memory_mb,
      });
      // An incomplete scan is retried at the next start of the gateway, not at each start of the server.
      if ('unread' in made || made.gaps.some(({ reason }) => reason === 'timeout' || reason.includes('not followed')))
        incompleteScans.set(key, made);
      else await readings.put(key, made).catch(() => undefined); // a failed write only costs a new scan
      return { read: made, content };
    } catch (error) {
      return {
        read: {
          unread: `its code cannot be read${error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''}`,
        },
      };
    }
  }

  async function decide(id: string, config: McpConfig, command: LaunchCommand): Promise<ChannelEnd | undefined> {
    const code = await locateCode(config, command, base);
    const [found, registry] = await Promise.all([
      'nothing' in code ? { read: { unread: code.nothing } } : scanResultFor(config, code.root, code.entry),
      registryListing(id, config),
    ]);
    const { read: reading, content } = { content: undefined, ...found };
    const policy = admissionPolicyOf(config);
    const state = sha256(
      JSON.stringify([
        content ?? '',
        policy,
        config.scan.unlisted,
        'nothing' in code ? code.nothing : code.called,
        config.scan.unlisted === 'allow' ? '' : (registry?.verdict ?? ''),
      ]),
    );
    if (admittedStates.get(id) === state) return undefined;
    const surface = 'unread' in reading ? undefined : reading.surfaceHash;
    const locked = 'nothing' in code ? undefined : lock.get(code.called);
    const moved = surface !== undefined && locked !== undefined && locked !== surface;
    const others: readonly AdmissionReason[] = [
      ...(moved && config.admission === 'strict'
        ? [
            {
              decision: 'quarantine' as const,
              why: 'the tools its code registers differ from toolgate.lock.json',
              mark: `surface ${surface}`,
            },
          ]
        : []),
      ...(registry?.verdict === 'not listed' && config.scan.unlisted !== 'allow'
        ? [
            {
              decision: config.scan.unlisted,
              why: `the registry does not list ${config.registry_name ?? ''}`,
              mark: `unlisted ${config.registry_name ?? ''}`,
            },
          ]
        : []),
    ];
    const book = pinBookFor(files, id, sourceIdentity(config));
    const accepted = acceptedReasons(book);
    const verdict = decideAdmission(reading, policy, new Set(Object.keys(accepted)), others);
    updatePending(files, book, verdict, accepted, 'nothing' in code ? id : code.called, now().toISOString());
    const screening: AdmissionRecord = {
      source: id,
      decision: verdict.decision,
      reasons: verdict.reasons.map(({ why }) => why),
      findings:
        'unread' in reading
          ? []
          : reading.findings.map(
              ({ severity, rule, location, message }) =>
                `${severity} ${rule} in ${location.file}:${location.startLine}: ${message}`,
            ),
      ...(verdict.unknown !== undefined && { unknown: verdict.unknown }),
      ...(!('unread' in reading) && { tools: reading.surface.tools.length }),
      ...(content !== undefined && { content }),
      ...(surface !== undefined && { surface }),
      ...(registry && { registry }),
      differences: latest.get(id)?.content === content ? (latest.get(id)?.differences ?? []) : [],
    };
    latest.set(id, screening);
    if ('unread' in reading) surfaces.delete(id);
    else surfaces.set(id, reading.surface);
    report(screening, state);
    if (verdict.decision !== 'allow') return { message: refusalMessage(id, verdict), needsAction: true };
    if (moved)
      onEvent('source.changed', {
        source: id,
        what: 'the tools its code registers differ from toolgate.lock.json',
        from: locked,
        to: surface,
      });
    if (surface !== undefined && !('nothing' in code) && locked !== surface) lock.put(code.called, surface);
    admittedStates.set(id, state);
    return undefined;
  }

  /** Registry entry of a server. If the policy does not depend on it, a slow registry must not delay the start: the entry is recorded when it arrives. */
  async function registryListing(
    id: string,
    { registry_name: name, scan }: McpConfig,
  ): Promise<RegistryListing | undefined> {
    if (name === undefined) return undefined;
    const asked = lookup(name);
    if (scan.unlisted !== 'allow') return asked;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), registryWaitMs)));
    const answer = await Promise.race([asked, late]).finally(() => clearTimeout(timer));
    if (!answer)
      void asked.then((registry) => {
        const now = latest.get(id);
        if (now && registry) latest.set(id, { ...now, registry });
      });
    return answer;
  }

  function report(screening: AdmissionRecord, state: string): void {
    const text = `${state} ${screening.decision} ${screening.reasons.join('\n')}`;
    if (reported.get(screening.source) === text) return;
    reported.set(screening.source, text);
    const { source, decision, unknown } = screening;
    const event =
      decision === 'quarantine'
        ? 'source.quarantined'
        : decision === 'deny'
          ? 'source.denied'
          : unknown === undefined
            ? 'source.admitted'
            : 'source.unread';
    onEvent(event, { source, decision, ...evidenceOf(screening) });
    onDecision(screening);
  }

  return {
    async admit(id, config, command) {
      if (config.admission === 'open') {
        latest.set(id, {
          source: id,
          decision: 'allow',
          reasons: [],
          findings: [],
          unknown: 'its code was not scanned: admission is open',
          differences: [],
        });
        return undefined;
      }
      const key = sha256(JSON.stringify([id, config.admission, config.scan, command.program, command.args]));
      const now = running.get(key) ?? decide(id, config, command).finally(() => running.delete(key));
      running.set(key, now);
      return now;
    },
    compare(id, live) {
      const surface = surfaces.get(id);
      const before = latest.get(id);
      // Skip if the surface is empty: that gap is already reported once.
      if (!surface || !before || surface.tools.length + surface.optionalTools.length === 0) return [];
      const differences = compareSurface(surface, live);
      latest.set(id, { ...before, differences });
      return differences;
    },
    record: (id) => latest.get(id),
  };
}

function refusalMessage(id: string, { decision, reasons }: SourceDecision): string {
  const more = reasons.length > 1 ? ` (and ${reasons.length - 1} more)` : '';
  const what = decision === 'deny' ? 'is denied' : 'is quarantined';
  const then =
    decision === 'deny'
      ? 'change its scan settings to admit it'
      : `see toolgate pins diff ${id}, then toolgate pins approve ${id} scan`;
  return `${what}: ${reasons[0]?.why ?? ''}${more}; ${then}`;
}

/** Reasons that an operator has accepted, by fingerprint. */
function acceptedReasons({ pins }: PinBook): Readonly<Record<string, string>> {
  const reasons = Object.hasOwn(pins, sourceScanKey) ? pins[sourceScanKey]?.definition['reasons'] : undefined;
  return typeof reasons === 'object' && reasons !== null && !Array.isArray(reasons)
    ? Object.fromEntries(Object.entries(reasons).map(([mark, why]) => [mark, String(why)]))
    : {};
}

/** Updates the pending findings of a source; accepted reasons are included, so that one approval covers all of them. */
function updatePending(
  files: PinFiles,
  book: PinBook,
  { decision, reasons }: SourceDecision,
  accepted: Readonly<Record<string, string>>,
  called: string,
  since: string,
): void {
  const { [sourceScanKey]: before, ...others } = book.pending;
  if (decision !== 'quarantine') {
    if (before) files.write({ ...book, pending: others });
    return;
  }
  const definition: JsonObject = {
    code: called,
    reasons: { ...accepted, ...Object.fromEntries(reasons.map(({ mark, why }) => [mark, why])) },
  };
  const hash = pinHash(definition);
  if (before?.hash === hash) return;
  files.write({
    ...book,
    pending: {
      ...others,
      [sourceScanKey]: { hash, definition, since, why: `its code needs review: ${reasons[0]?.why ?? ''}` },
    },
  });
}
