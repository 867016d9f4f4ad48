import { endSession, session, sessionSignal } from './session.js';

/** A request that the gateway refused or did not answer; the message is shown as it is. */
export class ApiError extends Error {
  /** HTTP status; 0 if no response arrived at all. */
  readonly status: number;
  readonly body: unknown;
  constructor(status: number, message: string, body?: unknown) {
    super(message);
    this.status = status;
    this.body = body;
  }
}

interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a request with the token of this session; a refused token ends the session. */
export async function send(path: string, { method, body, signal, headers }: RequestOptions = {}): Promise<Response> {
  const token = session.value?.token ?? '';
  // Read before the request: a session that ends and starts again meanwhile has another signal.
  const ended = sessionSignal();
  let answer: Response;
  try {
    answer = await fetch(path, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: signal ? AbortSignal.any([signal, ended]) : ended,
    });
  } catch (error) {
    // An abort is a decision of the page and not an outage, so it stays distinguishable from an unreachable gateway.
    if (signal?.aborted || ended.aborted) throw error;
    throw new ApiError(0, 'The gateway cannot be reached');
  }
  // Compare with the current token: a late 401 for an old session must not end the one that replaced it.
  if (answer.status === 401 && token !== '' && token === session.value?.token)
    endSession('The session has ended: it expired, was idle for an hour, or was revoked');
  return answer;
}

/** Requests JSON; rejects with `ApiError` unless the status is a success. */
export async function api<T>(path: string, options: RequestOptions = {}): Promise<T> {
  const answer = await send(path, { ...options, headers: { accept: 'application/json', ...options.headers } });
  // A proxy in front may answer with HTML; the status then is the only usable part.
  const body: unknown = await answer.json().catch(() => undefined);
  if (!answer.ok) throw new ApiError(answer.status, messageOf(body) ?? `HTTP status ${answer.status}`, body);
  return body as T; // the routes define the shape
}

/** Error text of a response body, which may be anything. */
function messageOf(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !('error' in body)) return undefined;
  return typeof body.error === 'string' ? body.error : undefined;
}

/** Path segment of a value that may contain any character. */
export const segment = (value: string): string => encodeURIComponent(value);
