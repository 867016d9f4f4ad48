import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isLeftBehind } from '../lib/process-alive.js';
import { environmentHash, type GateIdentity } from './identity.js';

/** Version of the attach handshake; a gate with another one cannot be attached to. */
export const attachProtocol = 1;

/** A running gate of a home, as its record in `gates/` describes it. */
export interface GateRecord extends GateIdentity {
  readonly protocol: number;
  readonly version: string;
  readonly pid: number;
  readonly started: string;
  /** `background` gates end when idle; `http` gates belong to a terminal or a service. */
  readonly mode: 'background' | 'http';
  /** Variables that the active configuration names, and the hash of their values in the gate. */
  readonly names: readonly string[];
  readonly environment: string;
  /** Unix socket for MCP, one client per connection. */
  readonly attach: string;
  /** Unix socket with all REST routes. */
  readonly rest: string;
  readonly tokenFile: string;
  readonly url?: string;
  readonly log?: string;
}

/** Files of one gate in the folder of gates. */
interface GateFiles {
  readonly attach: string;
  readonly rest: string;
  write(record: GateRecord): void;
  /** Removes the record only, so that no assistant finds the gate any more. */
  withdraw(): void;
  clear(): void;
}

/** The kernel limits the path of a Unix socket to 104 or 108 bytes. */
const maxSocketPathBytes = 100;

/** Allocates the files of this process in the folder of gates (0700), and removes those of dead gates. */
export function gateFilesIn(folder: string): GateFiles {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  removeStale(folder);
  const name = `${process.pid}-${randomBytes(4).toString('hex')}`;
  const isShort = Buffer.byteLength(join(folder, `${name}.attach`)) <= maxSocketPathBytes;
  const place = isShort ? folder : mkdtempSync(join(tmpdir(), 'toolgate-'));
  const record = join(folder, `${name}.json`);
  const attach = join(place, `${name}.attach`);
  const rest = join(place, `${name}.rest`);
  const withdraw = (): void => rmSync(record, { force: true });
  return {
    attach,
    rest,
    write(value) {
      // Renamed into place: a reader never sees half a record.
      writeFileSync(`${record}.new`, JSON.stringify(value), { mode: 0o600 });
      renameSync(`${record}.new`, record);
    },
    withdraw,
    clear() {
      withdraw();
      if (isShort) for (const path of [attach, rest]) rmSync(path, { force: true });
      else rmSync(place, { recursive: true, force: true });
    },
  };
}

/** Records of the gates that still run, the oldest first. */
export function gatesIn(folder: string): readonly GateRecord[] {
  const found: GateRecord[] = [];
  for (const name of namesIn(folder)) {
    if (!name.endsWith('.json') || isLeftBehind(name)) continue;
    try {
      const record: unknown = JSON.parse(readFileSync(join(folder, name), 'utf8'));
      if (isRecord(record)) found.push(record);
    } catch {
      // Removed meanwhile.
    }
  }
  return found.sort((a, b) => (a.started < b.started ? -1 : 1));
}

/** Whether a gate serves this identity, with the same values of the variables it names. */
export const isSameGate = (record: GateRecord, mine: GateIdentity, env: NodeJS.ProcessEnv): boolean =>
  record.file === mine.file &&
  record.settings === mine.settings &&
  record.environment === environmentHash(record.names, env);

/** Negative if version `a` is older than `b`; compares the numbers, and a pre-release is older than its release. */
export function compareVersions(a: string, b: string): number {
  const parts = (text: string): readonly number[] => {
    const [numbers = '', pre] = text.split('-', 2);
    return [...numbers.split('.').map(Number), pre === undefined ? 1 : 0];
  };
  const [mine, other] = [parts(a), parts(b)];
  for (const [index, value] of mine.entries()) {
    const difference = value - (other[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function removeStale(folder: string): void {
  for (const name of namesIn(folder)) if (isLeftBehind(name)) rmSync(join(folder, name), { force: true });
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Only this program writes into the folder; the check guards against records of other versions. */
function isRecord(value: unknown): value is GateRecord {
  if (typeof value !== 'object' || value === null) return false;
  const { protocol, version, pid, names, attach, rest, settings } = value as Record<string, unknown>; // narrowed below
  return (
    typeof protocol === 'number' &&
    typeof version === 'string' &&
    typeof pid === 'number' &&
    Array.isArray(names) &&
    typeof attach === 'string' &&
    typeof rest === 'string' &&
    typeof settings === 'string'
  );
}
