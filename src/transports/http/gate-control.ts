import type { JsonObject } from '../../core/json.js';
import type { Principal } from '../../core/principal.js';
import { sendJson, sendProblem } from './edge/respond.js';
import type { HttpContext, Route } from './edge/route.js';

/** The running gate as a process: what it is, and how it ends. */
export interface GateControl {
  status(): JsonObject;
  /** Starts the shutdown. */
  stop(): void;
  /** Takes the gate out of the list that assistants attach to; a background gate ends after its last client. */
  retire(): void;
  /** Opens an HTTP listener on a free port of 127.0.0.1, once; returns its address. */
  listen(): Promise<string>;
}

/** Actions on the gate itself, as the audit names them. */
export type GateAction = 'gate_stop' | 'gate_retire' | 'gate_listen';

/** Routes of the gate itself. Those that change it answer on the Unix socket only: a network must not end a gate. */
export function gateControlRoutes(
  control: GateControl,
  record: (action: GateAction, by: Principal) => void,
): readonly Route[] {
  // The peer is `local` only for connections over the socket.
  const locally =
    (handle: (context: HttpContext) => void | Promise<void>) =>
    (context: HttpContext): void | Promise<void> =>
      context.peer === 'local'
        ? handle(context)
        : sendProblem(context.res, 403, 'permission_denied', 'Only over the Unix socket of the gate');
  const responses = {
    200: { description: 'The gate' },
    403: { description: 'Not an administrator, or not over the Unix socket' },
  };
  return [
    {
      method: 'GET',
      path: '/gate',
      auth: 'admin',
      doc: { summary: 'The running gate: process, configuration, clients', responses },
      handle: ({ res }) => sendJson(res, 200, control.status()),
    },
    {
      method: 'POST',
      path: '/gate/stop',
      auth: 'admin',
      doc: { summary: 'Stop the gate in order; over its Unix socket only', responses },
      handle: locally(({ res, principal }) => {
        // Answered first: after `stop` the connection may be gone.
        sendJson(res, 200, control.status());
        record('gate_stop', principal);
        control.stop();
      }),
    },
    {
      method: 'POST',
      path: '/gate/retire',
      auth: 'admin',
      doc: { summary: 'End when the last client leaves, and take no new ones; over its Unix socket only', responses },
      handle: locally(({ res, principal }) => {
        control.retire();
        record('gate_retire', principal);
        return sendJson(res, 200, control.status());
      }),
    },
    {
      method: 'POST',
      path: '/gate/listener',
      auth: 'admin',
      doc: { summary: 'Open HTTP on a free port of 127.0.0.1; over the Unix socket of the gate only', responses },
      handle: locally(async ({ res, principal }) => {
        const url = await control.listen();
        record('gate_listen', principal);
        return sendJson(res, 200, { url });
      }),
    },
  ];
}
