import type { JsonObject } from '../../../core/json.js';
import type { Ask } from '../../../core/outcome.js';
import { isJsonObject } from '../../../wire/message.js';
import { withForwardedMeta } from './forwarded-meta.js';

/** Client capability needed for each kind of input request. */
export const requiredCapability = {
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
} as const satisfies Record<Ask['method'], string>;

/** Limit per response. */
const maxInputRequests = 32;
const maxKeyLength = 256;
const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

export const isInputMethod = (method: unknown): method is Ask['method'] =>
  typeof method === 'string' && Object.hasOwn(requiredCapability, method);

/** Why an input request must not be forwarded to the client; undefined if it may. */
export function inputRequestProblem({ method, params }: Ask): string | undefined {
  if (method !== 'elicitation/create') return undefined;
  const { mode = 'form', url } = params;
  // Clients differ in how they read an unknown mode: one that only looks for `url` would open it unchecked.
  if (mode === 'form')
    return Object.keys(params).some((key) => key.toLowerCase() === 'url')
      ? 'sends a form with a URL to open'
      : undefined;
  if (mode !== 'url') return 'asks in a mode that the protocol does not define';
  // Clients open the URL: `javascript:`, `file:` or a custom scheme would run code or start a program.
  if (typeof url === 'string' && URL.canParse(url) && isWebUrl(new URL(url))) return undefined;
  return 'asks to open a URL that is not https (or http on this machine)';
}

const isWebUrl = ({ protocol, hostname, username }: URL): boolean =>
  username === '' && (protocol === 'https:' || (protocol === 'http:' && loopback.test(hostname)));

/** The request without metadata that a server could forge as the gateway's. */
export const forwardedAsk = (ask: Ask): Ask => ({ ...ask, params: withForwardedMeta(ask.params) });

/** Parses the input requests in a modern server's result, or returns the problem. */
export function parseInputRequests(result: JsonObject): Readonly<Record<string, Ask>> | string {
  const given = Object.entries(isJsonObject(result['inputRequests']) ? result['inputRequests'] : {});
  if (given.length > maxInputRequests) return `sends more than ${maxInputRequests} input requests at once`;
  const asks: [string, Ask][] = [];
  for (const [key, ask] of given) {
    if (!isJsonObject(ask) || !isInputMethod(ask['method']) || key.length > maxKeyLength)
      return 'sends an input request that the protocol does not define';
    const read = forwardedAsk({ method: ask['method'], params: isJsonObject(ask['params']) ? ask['params'] : {} });
    const problem = inputRequestProblem(read);
    if (problem !== undefined) return problem;
    asks.push([key, read]);
  }
  return Object.fromEntries(asks);
}
