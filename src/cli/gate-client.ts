import { environmentLayer, flagsLayer } from '../config/layers.js';
import { findConfigFile, loadConfig } from '../config/load.js';
import { homeOf } from '../serve/home.js';
import { identityOf } from '../running/identity.js';
import { gatesIn, isSameGate, type GateRecord } from '../running/records.js';
import { requestGate } from './attach/gate-request.js';
import type { Io } from './io.js';

/** A running gate that answers. */
export interface GateClient {
  readonly record: GateRecord;
  /** Sends a REST request; `body` is undefined if the response was not JSON. */
  request(
    method: 'GET' | 'POST',
    path: string,
    body?: unknown,
  ): Promise<{ readonly status: number; readonly body: Record<string, unknown> | undefined }>;
}

/** A gate that does not answer this long counts as gone: its record may be left from a crash. */
const probeMs = 5_000;

/** Running gates of this home, those of this configuration first; with `all` also those of others. */
export async function runningGates(argv: readonly string[], io: Io, all = false): Promise<readonly GateClient[]> {
  const cwd = process.cwd();
  const identity = identityOf((await findConfigFile(argv, io.env, cwd))?.path, { argv, env: io.env, cwd });
  // Operators bring no secrets: a gate of the same file is theirs, whatever variables their shell has.
  const own = (await recordsOf(argv, io)).filter(
    ({ file, settings }) => file === identity.file && settings === identity.settings,
  );
  const others = all ? (await recordsOf(argv, io)).filter((record) => !own.some(({ pid }) => pid === record.pid)) : [];
  const ordered = [...own.toSorted((a, b) => rank(b) - rank(a)), ...others];
  function rank(record: GateRecord): number {
    return isSameGate(record, identity, io.env) ? 1 : 0;
  }
  // All at once: one hung gate must not delay the list by its whole timeout.
  const answering = await Promise.all(
    ordered.map(async (record) => {
      try {
        return (await requestGate(record, 'GET', '/livez', { timeoutMs: probeMs })).status === 200;
      } catch {
        return false;
      }
    }),
  );
  return ordered.filter((_, index) => answering[index]).map((record) => clientOf(record, io));
}

/** The running gate of this configuration, unless `--alone` asks for none; names it on stderr. */
export async function runningGate(argv: readonly string[], io: Io): Promise<GateClient | undefined> {
  if (argv.includes('--alone')) return undefined;
  const [first] = await runningGates(argv, io);
  // On stderr, so that the note does not end up in piped output.
  if (first !== undefined) io.err(`answered by ${describeGate(first.record)}\n`);
  return first;
}

/** A gate in one line. */
export const describeGate = ({ pid, mode, file, url, version }: GateRecord): string =>
  `gate ${pid} (${mode}, version ${version}, ${file ?? 'no configuration file'}${url === undefined ? '' : `, ${url}`})`;

async function recordsOf(argv: readonly string[], io: Io): Promise<readonly GateRecord[]> {
  // Flags override the environment, as they do when the configuration is loaded.
  const given = [...environmentLayer(io.env).values, ...flagsLayer(argv).values].findLast(
    ([path]) => path === 'state.directory',
  )?.[1];
  if (typeof given === 'string') return gatesIn(homeOf(io.env, given).gates);
  const found = gatesIn(homeOf(io.env).gates);
  if (found.length > 0) return found;
  // The file may name another home.
  const loaded = await loadConfig({ env: io.env, argv, cwd: process.cwd() });
  return loaded.ok ? gatesIn(homeOf(io.env, loaded.config.state.directory).gates) : [];
}

const clientOf = (record: GateRecord, io: Io): GateClient => ({
  record,
  async request(method, path, body) {
    const { status, text } = await requestGate(record, method, path, {
      ...(body !== undefined && { body }),
      signal: io.signal,
    });
    try {
      // Routes answer with objects.
      return { status, body: JSON.parse(text) as Record<string, unknown> };
    } catch {
      return { status, body: undefined };
    }
  },
});
