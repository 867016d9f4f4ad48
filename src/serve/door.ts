import type { Config } from '../config/schema.js';
import type { Transport } from '../core/gateway.js';
import { identity } from '../identity.js';
import type { ProtocolOptions } from '../transports/mcp/methods.js';
import { stdioTransport } from '../transports/stdio/stdio.js';
import type { Gate } from './gate.js';
import type { Home } from './home.js';
import { localUser } from './local-user.js';
import { sideDoor } from './side-door.js';
import { stateTaskStore } from './task-store.js';

/** A door that is open, and what people need to find it. */
export interface OpenDoor {
  readonly transport: Transport;
  readonly url?: string;
  readonly tokenFile?: string;
  /** Resolves when the client of a pipe is gone; never for a listener. */
  readonly ended: Promise<void>;
}

/** Opens the door the configuration asks for, with MCP behind it. */
export async function openDoor(gate: Gate, config: Config, home: Home): Promise<OpenDoor> {
  const protocol: ProtocolOptions = {
    identity,
    ready: gate.ready,
    taskStore: stateTaskStore(gate.state.open),
    onBug: (error, method) =>
      gate.log.event('server.fault', {
        method,
        error: error instanceof Error ? (error.stack ?? error.message) : String(error),
      }),
  };
  const door =
    config.server.transport === 'stdio'
      ? stdio(gate, protocol)
      : (await import('./http-door.js')).http(gate, config, home, protocol);
  const side = sideDoor(gate, home);
  await door.transport.start();
  const beside = side.start();
  // An assistant that starts us waits for nothing that it does not use.
  if (config.server.transport !== 'stdio') await beside;
  const { address, transport, ...found } = door;
  return {
    ...found,
    transport: {
      ...transport,
      async stop(signal) {
        await Promise.all([transport.stop(signal), side.stop(signal)]);
      },
    },
    ...(address && { url: address() }),
  };
}

/** A door before it is opened: a listener knows its address only afterwards. */
export type Ajar = Omit<OpenDoor, 'url'> & { readonly address?: () => string };

function stdio(gate: Gate, protocol: ProtocolOptions): Ajar {
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return {
    transport: stdioTransport(gate.gateway, { ...protocol, principal: localUser(gate.config()), onEnd: end }),
    ended,
  };
}
