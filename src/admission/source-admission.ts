import type { JsonObject } from '../core/json.js';
import { sha256 } from '../lib/hash.js';
import type { Difference, LiveTool } from '../scanner/admission/compare.js';
import { sourceIdentity } from '../sources/mcp/admission.js';
import type { ChannelEnd } from '../sources/mcp/channels/channel.js';
import type { LaunchCommand } from '../sources/mcp/channels/local-channel.js';
import type { McpConfig } from '../sources/mcp/config.js';
import type { SurfaceLock } from '../sources/mcp/packages/package-lock.js';
import type { RegistryListing } from '../sources/mcp/registration/registry-lookup.js';
import { admissionRecords } from './admission-records.js';
import { locateCode } from './code-location.js';
import type { HashContent } from './content-hash.js';
import { decideAdmission, admissionPolicyOf, type SourceDecision } from './decision.js';
import { pinBookFor } from './definitions.js';
import type { AdmissionRecord } from './evidence.js';
import { extraReasons, surfaceMoved } from './extra-reasons.js';
import type { PinStore } from './pins/pin-files.js';
import { acceptedReasons, updatePending } from './pins/scan-approval.js';
import type { ScanCache } from './scan/cache.js';
import type { ScanResult } from './scan/result.js';
import type { RunScan } from './scan/runner.js';
import type { ScanHistory } from './scan/scan-history.js';
import { scanResults, type ScannedCode } from './scan/scan-results.js';

/** Scans the code of local servers before they start and decides whether they may. */
export interface SourceAdmission {
  /** Undefined if the server may start, else the reason against it. */
  admit(id: string, config: McpConfig, command: LaunchCommand): Promise<ChannelEnd | undefined>;
  /** Differences between the live tools and the scanned code; empty if there is no scan result. */
  compare(id: string, live: readonly LiveTool[]): readonly Difference[];
  record(id: string): AdmissionRecord | undefined;
}

interface SourceAdmissionOptions {
  readonly base: string;
  /** Part of the cache key: results of other scanner versions are not reused. */
  readonly version: string;
  readonly runScan: RunScan;
  readonly cache: ScanCache;
  /** Remembers the scanned versions of each source. */
  readonly history?: ScanHistory;
  readonly hashContent: HashContent;
  readonly files: PinStore;
  readonly lock: SurfaceLock;
  /** Looks a server up in the configured registry; undefined without one. */
  readonly lookup: (name: string) => Promise<RegistryListing | undefined>;
  onEvent(event: string, fields: JsonObject): void;
  /** Called once for each new decision. */
  onDecision(record: AdmissionRecord): void;
  readonly now?: () => Date;
}

// Long enough for a registry that is up, short enough not to be noticed at the start.
const registryWaitMs = 1_000;

/** Admission before a start: scans the code, applies the policy, and quarantines the source until an operator approves if required. */
export function sourceAdmission(options: SourceAdmissionOptions): SourceAdmission {
  const { base, files, lock, onEvent, now = () => new Date() } = options;
  const records = admissionRecords(options);
  const scan = scanResults(options);
  // State under which each source was admitted: an unchanged one is not decided again at every restart.
  const admittedStates = new Map<string, string>();
  // Decisions under way: concurrent starts of one source share one scan.
  const running = new Map<string, Promise<ChannelEnd | undefined>>();

  async function decide(id: string, config: McpConfig, command: LaunchCommand): Promise<ChannelEnd | undefined> {
    const code = await locateCode(config, command, base);
    const called = 'nothing' in code ? undefined : code.called;
    const noCode = (why: string): ScannedCode => ({ result: { unread: why } });
    // Scan and registry lookup do not depend on each other.
    const [{ result, content, scan: scanKey }, registry] = await Promise.all([
      'nothing' in code ? noCode(code.nothing) : scan(config, code.root, code.entry),
      registryListing(id, config),
    ]);
    const policy = admissionPolicyOf(config);
    // Everything that the decision depends on; if any of it changes, the source is decided again.
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
    const surface = 'unread' in result ? undefined : result.surfaceHash;
    const locked = called === undefined ? undefined : lock.get(called);
    // The tools in the code differ from those in the lock, although the version may be the same.
    const movedTo = locked !== undefined && locked !== surface ? surface : undefined;
    const book = pinBookFor(files, id, sourceIdentity(config));
    const accepted = new Set(Object.keys(acceptedReasons(book)));
    const verdict = decideAdmission(result, policy, accepted, extraReasons(config, { movedTo, registry }));
    // Before the refusal is returned: the command that it names must find something to approve.
    await updatePending(files, book, verdict, { code: called ?? id, since: now().toISOString() });
    const before = records.get(id);
    const record: AdmissionRecord = {
      source: id,
      decision: verdict.decision,
      reasons: verdict.reasons.map(({ why }) => why),
      findings: 'unread' in result ? [] : result.findings.map(findingLine),
      ...(verdict.unknown !== undefined && { unknown: verdict.unknown }),
      ...(!('unread' in result) && { tools: result.surface.tools.length }),
      ...(content !== undefined && { content }),
      ...(surface !== undefined && { surface }),
      ...(scanKey !== undefined && { scan: scanKey }),
      ...(!('nothing' in code) && { root: code.root }),
      ...(registry && { registry }),
      // Differences belong to the code that was compared; new code starts without any.
      differences: before?.content === content ? (before?.differences ?? []) : [],
    };
    records.set(record, result, state);
    if (scanKey !== undefined && content !== undefined)
      options.history?.note(id, { scan: scanKey, content, at: now().toISOString() });
    // needsAction stops the restarts with back-off: only an operator can change the outcome.
    if (verdict.decision !== 'allow') return { message: refusalMessage(id, verdict), needsAction: true };
    if (movedTo !== undefined && locked !== undefined)
      onEvent('source.changed', { source: id, what: surfaceMoved, from: locked, to: movedTo });
    if (surface !== undefined && called !== undefined && locked !== surface) lock.put(called, surface);
    // Remembered last, so that a failure above leads to a new decision.
    admittedStates.set(id, state);
    return undefined;
  }

  /** Registry entry of a server. If the policy does not depend on it, a slow registry must not delay the start: the entry is recorded when it arrives. */
  async function registryListing(
    id: string,
    { registry_name: name, scan: { unlisted } }: McpConfig,
  ): Promise<RegistryListing | undefined> {
    if (name === undefined) return undefined;
    const asked = options.lookup(name);
    // The policy depends on the listing, so the start has to wait for it.
    if (unlisted !== 'allow') return asked;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), registryWaitMs)));
    const answer = await Promise.race([asked, late]).finally(() => clearTimeout(timer));
    // Evidence that comes late is added to the record, not lost.
    if (!answer) void asked.then((registry) => registry && records.amend(id, { registry }));
    return answer;
  }

  return {
    async admit(id, config, command) {
      if (config.admission === 'open') {
        records.setOpen(id);
        return undefined;
      }
      // Without the content: two starts with the same command see the same files.
      const key = sha256(JSON.stringify([id, config.admission, config.scan, command.program, command.args]));
      const decision = running.get(key) ?? decide(id, config, command).finally(() => running.delete(key));
      running.set(key, decision);
      return decision;
    },
    compare: records.compare,
    record: records.get,
  };
}

const findingLine = ({ severity, rule, location, message }: ScanResult['findings'][number]): string =>
  `${severity} ${rule} in ${location.file}:${location.startLine}: ${message}`;

function refusalMessage(id: string, { decision, reasons }: SourceDecision): string {
  const more = reasons.length > 1 ? ` (and ${reasons.length - 1} more)` : '';
  const what = decision === 'deny' ? 'is denied' : 'is quarantined';
  const then =
    decision === 'deny'
      ? 'change its scan settings to admit it'
      : `see toolgate pins diff ${id}, then toolgate pins approve ${id} scan`;
  return `${what}: ${reasons[0]?.why ?? ''}${more}; ${then}`;
}
