import type { LogLevel, Progress } from '../../core/call.js';
import type { Json, JsonObject } from '../../core/json.js';
import type { Ask } from '../../core/outcome.js';
import { linkedSet } from '../../lib/linked-set.js';
import { slotTable } from '../../lib/slot-table.js';
import { codes, rpcError } from '../../wire/codes.js';
import { isObject } from '../../wire/message.js';
import { isLogLevel, metaKeys } from '../../wire/meta.js';
import type { RpcReply } from '../../wire/pending.js';
import type { ChannelEvents, Ended, OpenChannel } from './channel.js';
import { isChannel } from './channel.js';
import { modernMeta, shakeHands } from './handshake.js';
import type { Era, HandshakeOptions, Introduction } from './handshake.js';

/** Whoever waits for an answer, and what may be said to them meanwhile. */
export interface Asker {
  /** Equal for calls of one client of one principal; questions that could be meant for another are never delivered. */
  readonly who: string;
  readonly progress?: (progress: Progress) => void;
  readonly log?: (level: LogLevel, data: Json, logger?: string) => void;
  readonly question?: (ask: Ask) => Promise<RpcReply>;
}

export interface AskUpstream {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  readonly asker?: Asker;
  /** What the client behind us can be asked; a modern server is told with each request. */
  readonly capabilities?: JsonObject;
  readonly meta?: JsonObject | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export type ListKind = 'tools' | 'prompts' | 'resources';

export interface SessionEvents {
  listChanged(kind: ListKind): void;
  updated(uri: string): void;
  ended(end: Ended): void;
}

/** An open conversation with one upstream server. */
export interface Session {
  readonly introduction: Introduction;
  readonly end: Ended | undefined;
  ask(method: string, params: JsonObject, options: AskUpstream): Promise<RpcReply>;
  notify(method: string, params?: JsonObject): void;
  close(): Promise<void>;
}

export interface SessionOptions {
  readonly open: OpenChannel;
  readonly owner: string;
  readonly era: Era;
  readonly first: 'legacy' | 'modern';
  readonly handshake: HandshakeOptions;
  readonly events: SessionEvents;
}

const listKinds: Readonly<Record<string, ListKind>> = {
  'notifications/tools/list_changed': 'tools',
  'notifications/prompts/list_changed': 'prompts',
  'notifications/resources/list_changed': 'resources',
};
const questions = new Set(['elicitation/create', 'sampling/createMessage', 'roots/list']);

/** Connects and finds the common protocol; what went wrong comes back as an end. */
export async function session(options: SessionOptions): Promise<Session | Ended> {
  const { open, era, first, handshake, events } = options;
  const askers = linkedSet<Asker>();
  const tokens = slotTable<Asker>();
  let levelSet = false;

  /** Whose the unsaid is: the only one in flight, or the latest where all are of one client. */
  const latest = (able: (asker: Asker) => boolean): Asker | undefined => {
    let found: Asker | undefined;
    for (const asker of askers) {
      if (found && asker.who !== found.who) return undefined;
      if (able(asker) || !found) found = asker;
    }
    return found && able(found) ? found : undefined;
  };

  const notification: ChannelEvents['notification'] = (method, params, owner) => {
    if (method === 'notifications/progress') return progressTo(tokens.get(params['progressToken']), params);
    // Channels hand back the owner they were given, and only askers are given.
    if (method === 'notifications/message')
      return logTo((owner as Asker | undefined) ?? latest(({ log }) => log !== undefined), params);
    if (method === 'notifications/resources/updated')
      return typeof params['uri'] === 'string' ? events.updated(params['uri']) : undefined;
    const kind = Object.hasOwn(listKinds, method) ? listKinds[method] : undefined;
    if (kind) events.listChanged(kind);
  };

  const request: ChannelEvents['request'] = async (method, params, owner) => {
    if (method === 'ping') return { result: {} };
    if (!questions.has(method)) return { error: rpcError(codes.methodNotFound, 'Method not found') };
    const asker = (owner as Asker | undefined) ?? latest(({ question }) => question !== undefined); // as above
    if (asker?.question) return asker.question({ method: method as Ask['method'], params }); // one of the three, as just looked up
    // Some servers ask for roots as soon as they are greeted; nobody is there yet to have any.
    if (method === 'roots/list') return { result: { roots: [] } };
    return {
      error: rpcError(
        codes.invalidRequest,
        askers.size > 1
          ? 'The gateway cannot tell which call this question belongs to'
          : 'Nobody who could be asked is waiting for an answer',
      ),
    };
  };

  const channel = await open({ notification, request, ended: (end) => events.ended(end) }, options.owner);
  if (!isChannel(channel)) return channel;
  const introduction = await shakeHands(channel, era, first, handshake);
  if ('problem' in introduction) {
    const { end } = channel;
    await channel.close();
    return end ?? { message: introduction.problem };
  }

  const wantLogs = (): void => {
    if (levelSet || introduction.modern || !isObject(introduction.capabilities['logging'])) return;
    levelSet = true;
    void channel.request({ method: 'logging/setLevel', params: { level: 'debug' }, timeoutMs: handshake.timeoutMs });
  };

  const plainMeta = introduction.modern ? modernMeta(handshake.clientInfo, {}) : undefined;

  /** What a request says about itself; where nothing is special about it, the same object each time. */
  const envelope = ({ capabilities, meta, asker }: AskUpstream, token: number | undefined): JsonObject | undefined => {
    const isPlain = meta === undefined && token === undefined;
    if (!introduction.modern) return token === undefined ? meta : { ...meta, progressToken: token };
    if (isPlain && asker?.log === undefined && (capabilities === undefined || isEmpty(capabilities))) return plainMeta;
    return {
      ...meta,
      ...modernMeta(handshake.clientInfo, capabilities ?? {}),
      ...(asker?.log && { [metaKeys.logLevel]: 'debug' }),
      ...(token !== undefined && { progressToken: token }),
    };
  };

  /** Asks on behalf of somebody, who can be spoken to until the answer is there. */
  const askedFor = async (
    asker: Asker,
    method: string,
    params: JsonObject,
    options: AskUpstream,
  ): Promise<RpcReply> => {
    const { timeoutMs, signal, headers } = options;
    const place = askers.add(asker);
    if (asker.log) wantLogs();
    const token = asker.progress && tokens.add(asker);
    const _meta = envelope(options, token);
    try {
      return await channel.request({
        method,
        params: _meta ? { ...params, _meta } : params,
        timeoutMs,
        signal,
        owner: asker,
        headers,
      });
    } finally {
      askers.remove(place);
      if (token !== undefined) tokens.delete(token);
    }
  };

  return {
    introduction,
    get end() {
      return channel.end;
    },
    notify: (method, params) => channel.notify(method, params),
    close: () => channel.close(),
    ask(method, params, options) {
      const { timeoutMs, signal, asker, headers } = options;
      if (!asker) {
        const _meta = envelope(options, undefined);
        return channel.request({ method, params: _meta ? { ...params, _meta } : params, timeoutMs, signal, headers });
      }
      return askedFor(asker, method, params, options);
    },
  };
}

const isEmpty = (object: JsonObject): boolean => {
  for (const _ in object) return false;
  return true;
};

function progressTo(asker: Asker | undefined, { progress, total, message }: JsonObject): void {
  if (typeof progress !== 'number') return;
  asker?.progress?.({
    progress,
    ...(typeof total === 'number' && { total }),
    ...(typeof message === 'string' && { message: message.slice(0, 1_000) }),
  });
}

function logTo(asker: Asker | undefined, { level, data, logger }: JsonObject): void {
  if (isLogLevel(level)) asker?.log?.(level, data ?? null, typeof logger === 'string' ? logger : undefined);
}
