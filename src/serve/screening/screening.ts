import type { JsonObject } from '../../core/json.js';
import { sha256 } from '../../lib/hash.js';
import { lru } from '../../lib/lru.js';
import type { PinBook } from '../../registry/pins.js';
import { pinHash, screeningKey } from '../../registry/pins.js';
import { compareSurface, type Difference, type LiveTool } from '../../scanner/admission/compare.js';
import type { Ended } from '../../sources/mcp/channel.js';
import type { Command } from '../../sources/mcp/plugin.js';
import type { Known } from '../../sources/mcp/registry-lookup.js';
import { bookOf } from '../admission.js';
import type { McpConfig } from '../mcp-sources.js';
import type { SurfaceLock } from '../package-lock.js';
import type { PinFiles } from '../pin-files.js';
import { codeOf } from './code.js';
import { evidenceOf, type Screening } from './evidence.js';
import type { ContentOf } from './content.js';
import type { Reading, Unread } from './reading.js';
import type { Readings } from './readings.js';
import type { ReadSource } from './runner.js';
import { judge, policyOf, type Reason, type Verdict } from './verdict.js';

/** Reads sources before they are started and decides about them. */
export interface Screens {
  /** Undefined where it may be started; otherwise why it is not. */
  admit(id: string, config: McpConfig, command: Command): Promise<Ended | undefined>;
  /** Where the tools that run differ from the code that was read; nothing where it could not be read. */
  compare(id: string, live: readonly LiveTool[]): readonly Difference[];
  of(id: string): Screening | undefined;
}

export interface ScreeningOptions {
  readonly base: string;
  /** Tells results of other versions of the scanner apart. */
  readonly version: string;
  readonly read: ReadSource;
  readonly readings: Readings;
  readonly contentOf: ContentOf;
  readonly files: PinFiles;
  readonly lock: SurfaceLock;
  readonly identityOf: (config: McpConfig) => string;
  /** Asks the configured registry; undefined where there is none. */
  readonly lookup: (name: string) => Promise<Known | undefined>;
  onEvent(event: string, fields: JsonObject): void;
  /** Told each decision that is new. */
  onDecision(screening: Screening): void;
  readonly now?: () => Date;
}

const registryPatienceMs = 1_000;

/** The check before a start: what the source says is read, judged by policy, and held until somebody approves where it must be. */
export function screening(options: ScreeningOptions): Screens {
  const {
    base,
    version,
    read,
    readings,
    contentOf,
    files,
    lock,
    lookup,
    onEvent,
    onDecision,
    now = () => new Date(),
  } = options;
  const latest = new Map<string, Screening>();
  const surfaces = new Map<string, Reading['surface']>();
  const settled = new Map<string, string>();
  const told = new Map<string, string>();
  const running = new Map<string, Promise<Ended | undefined>>();
  const unfinished = lru<string, Reading | Unread>(1_000);

  /** Reads what lies there, or takes what was read of the same bytes before. */
  async function readingOf(
    config: McpConfig,
    root: string,
    entry: string | undefined,
  ): Promise<{ readonly read: Reading | Unread; readonly content?: string }> {
    try {
      const whole = await contentOf(root);
      // A script in a folder full of other things is read alone.
      const only = whole === undefined && entry !== undefined ? `${root}/${entry}` : undefined;
      const content = whole ?? (only === undefined ? undefined : await contentOf(only));
      if (content === undefined) return { read: { unread: 'its folder holds more than is read' } };
      const key = sha256([version, content, entry ?? '', only ?? ''].join('\n'));
      const kept = (await readings.get(key)) ?? unfinished.get(key);
      if (kept) return { read: kept, content };
      const made = await read({
        root: only ?? root,
        ...(entry !== undefined && only === undefined && { entry }),
        timeoutMs: config.scan.timeout * 1000,
        memoryMb: config.scan.memory_mb,
      });
      // What a busy machine did not finish is tried again at the next start of the gateway, not at each start of the server.
      if ('unread' in made || made.gaps.some(({ reason }) => reason === 'timeout' || reason.includes('not followed')))
        unfinished.set(key, made);
      else await readings.put(key, made).catch(() => undefined); // it is only read again next time
      return { read: made, content };
    } catch (error) {
      return {
        read: {
          unread: `its code cannot be read${error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''}`,
        },
      };
    }
  }

  async function screened(id: string, config: McpConfig, command: Command): Promise<Ended | undefined> {
    const code = await codeOf(config, command, base);
    const [found, registry] = await Promise.all([
      'nothing' in code ? { read: { unread: code.nothing } } : readingOf(config, code.root, code.entry),
      listing(id, config),
    ]);
    const { read: reading, content } = { content: undefined, ...found };
    const policy = policyOf(config);
    const state = sha256(
      JSON.stringify([
        content ?? '',
        policy,
        config.scan.unlisted,
        'nothing' in code ? code.nothing : code.called,
        config.scan.unlisted === 'allow' ? '' : (registry?.verdict ?? ''),
      ]),
    );
    if (settled.get(id) === state) return undefined;
    const surface = 'unread' in reading ? undefined : reading.surfaceHash;
    const locked = 'nothing' in code ? undefined : lock.get(code.called);
    const moved = surface !== undefined && locked !== undefined && locked !== surface;
    const others: readonly Reason[] = [
      ...(moved && config.admission === 'strict'
        ? [
            {
              decision: 'quarantine' as const,
              why: 'its code offers something else than was locked',
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
    const book = bookOf(files, id, options.identityOf(config));
    const accepted = acceptedIn(book);
    const verdict = judge(reading, policy, new Set(Object.keys(accepted)), others);
    keepWaiting(files, book, verdict, accepted, 'nothing' in code ? id : code.called, now().toISOString());
    const screening: Screening = {
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
    tell(screening, state);
    if (verdict.decision !== 'allow') return { message: refusal(id, verdict), held: true };
    if (moved)
      onEvent('source.changed', {
        source: id,
        what: 'its code offers something else than was locked',
        from: locked,
        to: surface,
      });
    if (surface !== undefined && !('nothing' in code) && locked !== surface) lock.put(code.called, surface);
    settled.set(id, state);
    return undefined;
  }

  /** What the registry says; where that decides nothing it is not waited for long, and told when it comes. */
  async function listing(id: string, { registry_name: name, scan }: McpConfig): Promise<Known | undefined> {
    if (name === undefined) return undefined;
    const asked = lookup(name);
    if (scan.unlisted !== 'allow') return asked;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>(
      (resolve) => (timer = setTimeout(() => resolve(undefined), registryPatienceMs)),
    );
    const answer = await Promise.race([asked, late]).finally(() => clearTimeout(timer));
    if (!answer)
      void asked.then((registry) => {
        const now = latest.get(id);
        if (now && registry) latest.set(id, { ...now, registry });
      });
    return answer;
  }

  function tell(screening: Screening, state: string): void {
    const text = `${state} ${screening.decision} ${screening.reasons.join('\n')}`;
    if (told.get(screening.source) === text) return;
    told.set(screening.source, text);
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
          unknown: 'its code was not read: admission is open',
          differences: [],
        });
        return undefined;
      }
      const key = sha256(JSON.stringify([id, config.admission, config.scan, command.program, command.args]));
      const now = running.get(key) ?? screened(id, config, command).finally(() => running.delete(key));
      running.set(key, now);
      return now;
    },
    compare(id, live) {
      const surface = surfaces.get(id);
      const before = latest.get(id);
      // Where nothing could be told of its tools, that is said already; to say it of each tool would drown the rest.
      if (!surface || !before || surface.tools.length + surface.optionalTools.length === 0) return [];
      const differences = compareSurface(surface, live);
      latest.set(id, { ...before, differences });
      return differences;
    },
    of: (id) => latest.get(id),
  };
}

function refusal(id: string, { decision, reasons }: Verdict): string {
  const more = reasons.length > 1 ? ` (and ${reasons.length - 1} more)` : '';
  const what = decision === 'deny' ? 'is denied' : 'is quarantined';
  const then =
    decision === 'deny'
      ? `only a change of its scan settings lets it in`
      : `see toolgate pins diff ${id}, then toolgate pins approve ${id} scan`;
  return `${what}: ${reasons[0]?.why ?? ''}${more}; ${then}`;
}

/** The reasons that somebody has accepted, by their marks. */
function acceptedIn({ pins }: PinBook): Readonly<Record<string, string>> {
  const reasons = Object.hasOwn(pins, screeningKey) ? pins[screeningKey]?.definition['reasons'] : undefined;
  return typeof reasons === 'object' && reasons !== null && !Array.isArray(reasons)
    ? Object.fromEntries(Object.entries(reasons).map(([mark, why]) => [mark, String(why)]))
    : {};
}

/** Writes down what waits for approval, together with what was accepted before, or that nothing does. */
function keepWaiting(
  files: PinFiles,
  book: PinBook,
  { decision, reasons }: Verdict,
  accepted: Readonly<Record<string, string>>,
  called: string,
  since: string,
): void {
  const { [screeningKey]: before, ...others } = book.pending;
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
      [screeningKey]: { hash, definition, since, why: `its code must be looked at: ${reasons[0]?.why ?? ''}` },
    },
  });
}
