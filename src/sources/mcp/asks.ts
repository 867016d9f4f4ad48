import type { JsonObject } from '../../core/json.js';
import type { Ask } from '../../core/outcome.js';
import { isObject } from '../../wire/message.js';

/** What each question needs the client to be capable of. */
export const askable = {
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
} as const satisfies Record<Ask['method'], string>;

/** As many as a client may answer at once. */
const mostAsks = 32;
const longestKey = 256;
const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

const isAskable = (method: unknown): method is Ask['method'] =>
  typeof method === 'string' && Object.hasOwn(askable, method);

/** Why a server's question is put to nobody; undefined where it may be. */
export function askProblem({ method, params }: Ask): string | undefined {
  if (method !== 'elicitation/create' || params['mode'] !== 'url') return undefined;
  const { url } = params;
  // Clients open what they are given: a script, a file or another program's scheme would be opened as well.
  if (typeof url === 'string' && URL.canParse(url) && isWebAddress(new URL(url))) return undefined;
  return 'asks to open something that is no address of the web';
}

const isWebAddress = ({ protocol, hostname, username }: URL): boolean =>
  username === '' && (protocol === 'https:' || (protocol === 'http:' && loopback.test(hostname)));

/** The questions in a modern server's answer, or what is wrong with them. */
export function asksOf(result: JsonObject): Readonly<Record<string, Ask>> | string {
  const given = Object.entries(isObject(result['inputRequests']) ? result['inputRequests'] : {});
  if (given.length > mostAsks) return 'asks too much at once';
  const asks: [string, Ask][] = [];
  for (const [key, ask] of given) {
    if (!isObject(ask) || !isAskable(ask['method']) || key.length > longestKey)
      return 'asks something that is no question of the protocol';
    const read: Ask = { method: ask['method'], params: isObject(ask['params']) ? ask['params'] : {} };
    const problem = askProblem(read);
    if (problem !== undefined) return problem;
    asks.push([key, read]);
  }
  return Object.fromEntries(asks);
}
