import type { Config } from '../config/schema.js';
import type { Transport } from '../core/gateway.js';
import { identity } from '../identity.js';
import type { McpOptions } from '../transports/mcp/dispatcher.js';
import { stdioTransport } from '../transports/stdio/stdio.js';
import type { Gate } from './gate.js';
import type { Home } from './home.js';
import { localUser } from '../access/configured/local-user.js';
import type { Sharing } from './shared-door.js';
import { operatorSocket } from './operator-socket.js';
import { busLeases } from '../transports/mcp/tasks/bus-leases.js';
import { stateTaskStore } from '../transports/mcp/tasks/state-task-store.js';

/** An open transport, with the address and token file to report. */
export interface OpenDoor {
  readonly transport: Transport;
  readonly url?: string;
  readonly tokenFile?: string;
  /** Resolves when the stdio client disconnects; never for a listener. */
  readonly ended: Promise<void>;
  /** To be called after the configuration was loaded again. */
  readonly onReload?: () => void;
}

/** Opens the configured transport (stdio or HTTP) and the operator socket. */
export async function openDoor(gate: Gate, config: Config, home: Home, sharing?: Sharing): Promise<OpenDoor> {
  const protocol = protocolOf(gate);
  // Loaded on demand: a gate that one assistant started over stdio needs no listener.
  if (sharing !== undefined)
    return (await import('./shared-door.js')).openSharedDoor(gate, config, home, protocol, sharing);
  const door =
    config.server.transport === 'stdio'
      ? stdio(gate, protocol)
      : (await import('./http-door.js')).http(gate, config, home, protocol);
  const side = operatorSocket(gate, home);
  // The door first: its client is waiting, while operators come later.
  await door.transport.start();
  const beside = side.start();
  // Over stdio the client waits for its first answer, so the operator socket opens in the background.
  if (config.server.transport !== 'stdio') await beside;
  const { address, transport, ...found } = door;
  return {
    ...found,
    transport: {
      ...transport,
      async stop(signal) {
        // Together, so that the grace period is spent once and not once per listener.
        await Promise.all([transport.stop(signal), side.stop(signal)]);
      },
    },
    ...(address && { url: address() }),
  };
}

/** Options of the MCP dispatcher, for every transport. */
export function protocolOf(gate: Gate): McpOptions {
  return {
    identity,
    ready: gate.ready,
    // Tasks are stored and not kept in memory: a client may ask for their result after a restart.
    taskStore: stateTaskStore(gate.state.open),
    ...(gate.shared && { taskLeases: busLeases(gate.shared.bus) }),
    onClientCall: (client) => gate.clients.note(client),
    onUnreadable: (message) => gate.edge.unreadable(message),
    // Bugs are logged with their stack here and never sent to a client.
    onBug: (error, method) =>
      gate.log.event('server.fault', {
        method,
        error: error instanceof Error ? (error.stack ?? error.message) : String(error),
      }),
  };
}

/** A transport before it is opened: a listener has its address only afterwards. */
export interface UnopenedDoor extends Omit<OpenDoor, 'url'> {
  readonly address?: () => string;
}

function stdio(gate: Gate, protocol: McpOptions): UnopenedDoor {
  let end = (): void => {};
  // Resolved by the transport: over stdio the end of input is the end of the gateway.
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return {
    transport: stdioTransport(gate.gateway, { ...protocol, principal: localUser(gate.config()), onEnd: end }),
    ended,
  };
}
