/** A JSON-RPC message, as far as the relay looks at it. */
export interface RpcLike {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** State of one assistant: requests without a response, and the session to restore at a new gate. */
export interface ClientSession {
  sent(message: RpcLike, line: Buffer): void;
  /** The id of the request that this line answers; undefined if it is no response. */
  settle(line: Buffer): unknown;
  /** Error responses for all requests without one. */
  abandon(): readonly string[];
  /** Messages that open the same session at another gate; none for stateless clients. */
  restore(newId: () => string): readonly string[];
  /** Notifications after which the assistant lists everything again. */
  changes(): readonly string[];
}

/** Subscriptions that are restored; a client with more of them loses the oldest. */
const maxSubscriptions = 1_000;

export function clientSession(): ClientSession {
  const pending = new Map<string, { readonly id: unknown; readonly method: string }>();
  const subscriptions = new Map<string, RpcLike>();
  let initialize: RpcLike | undefined;
  let isInitialized = false;
  let level: RpcLike | undefined;

  const remember = (message: RpcLike): void => {
    const { method, params } = message;
    const uri = typeof params?.['uri'] === 'string' ? params['uri'] : '';
    if (method === 'initialize') initialize = message;
    else if (method === 'notifications/initialized') isInitialized = true;
    else if (method === 'logging/setLevel') level = message;
    else if (method === 'resources/subscribe') {
      subscriptions.set(uri, message);
      const [oldest] = subscriptions.keys();
      if (subscriptions.size > maxSubscriptions && oldest !== undefined) subscriptions.delete(oldest);
    } else if (method === 'resources/unsubscribe') subscriptions.delete(uri);
  };

  return {
    sent(message) {
      if (message.method === undefined) return;
      if (message.id !== undefined) pending.set(JSON.stringify(message.id), { id: message.id, method: message.method });
      if (message.method === 'notifications/cancelled') pending.delete(JSON.stringify(message.params?.['requestId']));
      remember(message);
    },
    settle(line) {
      // A batch answers all of its requests at once.
      if (line[0] === 0x5b) {
        for (const message of parseMessages(line) ?? [])
          if (isResponse(message)) pending.delete(JSON.stringify(message.id));
        return undefined;
      }
      const id = responseId(line);
      if (id !== undefined) pending.delete(JSON.stringify(id));
      return id;
    },
    abandon() {
      const lost = [...pending.values()];
      pending.clear();
      if (lost.some(({ method }) => method === 'initialize')) initialize = undefined;
      return lost.map(({ id, method }) =>
        JSON.stringify({
          jsonrpc: '2.0',
          id,
          error: {
            code: -32_000,
            message:
              method === 'tools/call'
                ? 'The gate ended while this call was running; whether the call took effect is unknown. The next call starts a new gate.'
                : 'The gate ended before it answered; send the request again.',
            data: { code: 'gate_ended', method },
          },
        }),
      );
    },
    restore(newId) {
      if (initialize === undefined || !isInitialized) return [];
      const asked = [initialize, ...(level === undefined ? [] : [level]), ...subscriptions.values()];
      const [first, ...others] = asked.map((message) => JSON.stringify({ jsonrpc: '2.0', ...message, id: newId() }));
      return [first ?? '', JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }), ...others];
    },
    changes: () =>
      ['tools', 'prompts', 'resources'].map((list) =>
        JSON.stringify({ jsonrpc: '2.0', method: `notifications/${list}/list_changed` }),
      ),
  };
}

/** The messages of a line; undefined if it is not JSON-RPC, which the gate then reports. */
export function parseMessages(line: Buffer): readonly RpcLike[] | undefined {
  try {
    const value: unknown = JSON.parse(line.toString('utf8'));
    const all: readonly unknown[] = Array.isArray(value) ? value : [value];
    // Fields are read one by one and never trusted to have a type.
    return all.filter((one): one is RpcLike => typeof one === 'object' && one !== null);
  } catch {
    return undefined;
  }
}

/** Whether a message answers a question of the gate. */
export const isResponse = ({ id, method }: RpcLike): boolean => id !== undefined && method === undefined;

/** Ids of the requests among these messages. */
export const idsOf = (messages: readonly RpcLike[]): readonly unknown[] =>
  messages.flatMap(({ id, method }) => (id === undefined || method === undefined ? [] : [id]));

/** The form in which the gateway writes responses: a look at their first bytes saves parsing megabytes. */
const ownResponse = /^\{"jsonrpc":"2\.0","id":("(?:[^"\\]|\\.)*"|-?\d+|null),"(?:result|error)":/;

function responseId(line: Buffer): unknown {
  const head = line.toString('utf8', 0, 1_024);
  const found = ownResponse.exec(head)?.[1];
  if (found !== undefined) return JSON.parse(found) as unknown;
  if (head.startsWith('{"jsonrpc":"2.0","method":')) return undefined;
  const [only] = parseMessages(line) ?? [];
  return only !== undefined && isResponse(only) ? only.id : undefined;
}
