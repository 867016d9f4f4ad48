import { createHash, randomBytes } from 'node:crypto';
import { rightsKey } from '../../../core/gateway.js';
import type { View } from '../../../core/gateway.js';
import type { JsonObject } from '../../../core/json.js';
import type { KeyRing } from '../../../lib/key-ring.js';
import { keyRing, openText, sealText } from '../../../lib/key-ring.js';
import { lru } from '../../../lib/lru.js';
import type { Soon } from '../../../lib/soon.js';
import { memoryStore } from '../../../state/memory-store.js';
import type { Store } from '../../../state/store.js';
import type { WireLogLevel } from '../../../wire/meta.js';

/** What a session id carries: enough to continue the session in any process that has the key. */
export interface SealedSession {
  /** Short internal id, for records and for state by session. */
  readonly id: string;
  /** Wall-clock milliseconds. */
  readonly openedAt: number;
  /** Digest of principal, roles, scopes and profile that opened it. */
  readonly rights: string;
  readonly version: string;
  readonly capabilities: JsonObject;
}

/** What a client set in its session after `initialize`. */
export interface SessionNotes {
  readonly logLevel?: WireLogLevel;
  readonly watches?: readonly string[];
}

/** Seals sessions into their ids, and records the little that does not fit into them. */
export interface SessionVault {
  seal(session: Omit<SealedSession, 'openedAt'>): string;
  /** Undefined if the id was forged or altered, or is older than a session may become. */
  open(id: string): SealedSession | undefined;
  /** Notes of a session; `ended` if its client deleted it. */
  recall(session: SealedSession): Soon<SessionNotes | 'ended'>;
  note(session: SealedSession, notes: SessionNotes): Soon<void>;
  /** Whether this process recorded the deletion of the session. */
  isEnded(session: SealedSession): boolean;
  /** Makes an id invalid for the rest of its life. */
  end(session: SealedSession): Soon<void>;
}

export interface SessionVaultOptions {
  readonly keys?: KeyRing;
  readonly open?: () => Soon<Pick<Store, 'get' | 'put'>>;
  /** Hard age of a session, whatever its activity. */
  readonly maxAgeMs?: number;
  readonly now?: () => number;
  /** Announces deleted sessions to other replicas, and theirs here. */
  readonly channel?: {
    publish(session: string): void;
    subscribe(listener: (session: string) => void): void;
  };
  /** Called if the state cannot be used: notes are lost, and a deleted session may live until its hard age. */
  readonly onProblem?: (error: unknown) => void;
}

const sealPrefix = 's1.';
const sessionSpace = 'sessions';
const endedNote = 'ended';
const dayMs = 86_400_000;
const maxCachedSeals = 10_000;
/** Proxies limit a header line to 4–8 KB; a longer id would never come back. */
const maxSealedCapabilities = 1_024;
/** Longest id that `seal` makes; longer ones are rejected without a decryption. */
const maxSealedChars = 4_096;
/** Capabilities the gateway itself acts on; kept if the whole declaration does not fit. */
const actedOn = ['elicitation', 'sampling', 'roots', 'tasks'] as const;

type SealedFields = readonly [number, string, string, string, JsonObject];

/** Digest of everything that `hasSameRights` compares. */
export const rightsDigest = ({ principal, profile }: View): string =>
  createHash('sha256')
    .update(JSON.stringify([rightsKey(principal), profile ?? null]))
    .digest('base64url')
    .slice(0, 22);

/** Internal session id of 128 random bits. */
export const newSessionId = (): string => randomBytes(16).toString('base64url');

/** Declared capabilities as far as they fit into a session id. */
export function sealableCapabilities(capabilities: JsonObject): JsonObject {
  if (JSON.stringify(capabilities).length <= maxSealedCapabilities) return capabilities;
  const kept = actedOn
    .filter((name) => Object.hasOwn(capabilities, name))
    .map((name) => [name, JSON.stringify(capabilities[name]).length <= 200 ? capabilities[name] : {}]);
  return Object.fromEntries(kept) as JsonObject;
}

/** Vault over a key ring and a store; without them, sessions end with the process. */
export function sessionVault({
  keys = keyRing([randomBytes(32)]),
  open: openStore = defaultStore(),
  maxAgeMs = dayMs,
  now = Date.now,
  channel,
  onProblem,
}: SessionVaultOptions = {}): SessionVault {
  // Opening an id costs about 10 µs; the ids in use are opened once.
  const opened = lru<string, SealedSession>(maxCachedSeals);
  const ended = lru<string, true>(maxCachedSeals);
  channel?.subscribe((session) => ended.set(session, true));
  const isTooOld = ({ openedAt }: SealedSession): boolean => openedAt + maxAgeMs <= now();
  const write = async (session: SealedSession, value: string): Promise<void> => {
    try {
      await (await openStore()).put(sessionSpace, session.id, value, { expiresAt: session.openedAt + maxAgeMs });
    } catch (error) {
      onProblem?.(error);
    }
  };

  return {
    seal(session) {
      const fields: SealedFields = [
        now(),
        session.id,
        session.rights,
        session.version,
        sealableCapabilities(session.capabilities),
      ];
      return sealText(keys, sealPrefix, JSON.stringify(fields));
    },
    open(id) {
      if (id.length > maxSealedChars) return undefined;
      const known = opened.get(id);
      if (known !== undefined) return isTooOld(known) ? undefined : known;
      const text = openText(keys, sealPrefix, id);
      if (text === undefined) return undefined;
      // Authenticated, so the content is what `seal` wrote.
      const [openedAt, session, rights, version, capabilities] = JSON.parse(text.toString('utf8')) as SealedFields;
      const sealed: SealedSession = { openedAt, id: session, rights, version, capabilities };
      if (isTooOld(sealed)) return undefined;
      opened.set(id, sealed);
      return sealed;
    },
    async recall(session) {
      if (ended.get(session.id)) return 'ended';
      try {
        const text = await (await openStore()).get(sessionSpace, session.id);
        if (text === endedNote) return 'ended';
        return text === undefined ? {} : (JSON.parse(text) as SessionNotes); // only `note` writes there
      } catch (error) {
        onProblem?.(error);
        return {};
      }
    },
    isEnded: ({ id }) => ended.get(id) === true,
    note: (session, notes) => write(session, JSON.stringify(notes)),
    end(session) {
      ended.set(session.id, true);
      channel?.publish(session.id);
      return write(session, endedNote);
    },
  };
}

function defaultStore(): () => Store {
  const store = memoryStore();
  return () => store;
}
