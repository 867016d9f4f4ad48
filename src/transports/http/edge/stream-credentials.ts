import type { IncomingMessage, ServerResponse } from 'node:http';
import { hasSameRights } from '../../../core/gateway.js';
import type { Principal } from '../../../core/principal.js';
import type { Authenticator } from './authenticate.js';

interface OpenStream {
  readonly authorization: string | undefined;
  readonly principal: Principal;
  readonly res: ServerResponse;
}

/** Ends event streams whose credential was revoked, has expired or has lost rights. */
interface StreamCredentials {
  /** Observes a response that may become an event stream. */
  watch(req: IncomingMessage, res: ServerResponse, principal: Principal): void;
}

/**
 * Authenticates open event streams again every second. A credential is checked when a request arrives, and a stream is one request
 * for hours: without this a removed token, a revoked key or an expired token of an issuer would keep reading.
 */
export function streamCredentials(authenticator: Authenticator, everyMs = 1_000): StreamCredentials {
  const open = new Set<OpenStream>();
  let timer: NodeJS.Timeout | undefined;

  const isCurrent = async ({ authorization, principal }: OpenStream): Promise<boolean> => {
    const result = await authenticator.authenticate(authorization);
    return 'principal' in result && hasSameRights({ principal }, { principal: result.principal });
  };
  const check = async (stream: OpenStream): Promise<void> => {
    // Fails closed: a credential that cannot be checked now can be presented again by a new request.
    if (!(await isCurrent(stream).catch(() => false))) stream.res.destroy();
  };
  const sweep = (): void => {
    for (const stream of open) void check(stream);
  };

  return {
    watch(req, res, principal) {
      const stream = { authorization: req.headers.authorization, principal, res };
      open.add(stream);
      timer ??= setInterval(sweep, everyMs).unref();
      res.once('close', () => {
        open.delete(stream);
        if (open.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      });
    },
  };
}

/** Whether the response may be a stream that outlives the check of its credential; the streams of single calls end with them. */
export const maySubscribe = ({ method, headers }: IncomingMessage): boolean =>
  method === 'GET' || headers['mcp-method'] === 'subscriptions/listen';
