import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import type { Hello, Welcome } from '../../running/attach-socket.js';
import { environmentHash, type GateIdentity } from '../../running/identity.js';
import { attachProtocol, gatesIn, isSameGate, type GateRecord } from '../../running/records.js';

/** A connection to a gate after the handshake. */
export interface Attached {
  readonly socket: Socket;
  readonly record: GateRecord;
  readonly version: string;
}

/** Why a gate could not be attached to; `gone` means that nothing answers there. */
interface AttachFailure {
  readonly why: 'gone' | Extract<Welcome, { ok: false }>['why'];
  readonly message: string;
}

/** A gate that accepts the connection but does not answer is stuck; the caller then starts another one. */
const handshakeMs = 10_000;
/** Bounds the first line: the socket may belong to some other program by now. */
const maxWelcomeBytes = 65_536;

/** Records of running gates with this identity; the caller finds out by attaching which of them still answer. */
export const gatesFor = (folder: string, mine: GateIdentity, env: NodeJS.ProcessEnv): readonly GateRecord[] =>
  gatesIn(folder).filter((record) => isSameGate(record, mine, env));

/** Connects to a gate and authenticates as the owner. `names` are the variables of the caller's configuration. */
export function attachTo(
  record: GateRecord,
  env: NodeJS.ProcessEnv,
  names: readonly string[] = record.names,
): Promise<Attached | AttachFailure> {
  return new Promise((resolve) => {
    let text = '';
    // Half-open: the client may end its input and still get the responses to its last requests.
    const socket = connect({ path: record.attach, allowHalfOpen: true });
    const fail = (why: AttachFailure['why'], message: string): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ why, message });
    };
    const timer = setTimeout(() => fail('gone', `Gate ${record.pid} does not answer`), handshakeMs);
    const onError = (): void => fail('gone', `Gate ${record.pid} is gone`);
    const onData = (chunk: Buffer): void => {
      // latin1 maps bytes to characters one to one, so that `rest` below is what arrived, even in the middle of a UTF-8
      // sequence.
      text += chunk.toString('latin1');
      const end = text.indexOf('\n');
      if (end < 0) return text.length > maxWelcomeBytes ? onError() : undefined;
      clearTimeout(timer);
      socket.off('data', onData).off('error', onError).off('close', onError);
      // Paused until the relay attaches its own listener: data that flows without a listener is lost.
      socket.pause();
      const rest = Buffer.from(text.slice(end + 1), 'latin1');
      // Bytes behind the first line already belong to the protocol and are put back.
      if (rest.length > 0) socket.unshift(rest);
      const answer = parseWelcome(text.slice(0, end));
      if (answer === undefined) return fail('protocol', `Gate ${record.pid} answers with another protocol`);
      if (!answer.ok) return fail(answer.why, answer.message);
      return resolve({ socket, record, version: answer.version });
    };
    socket.on('error', onError).on('close', onError).on('data', onData);
    socket.once('connect', () => {
      const hello: Hello = {
        attach: attachProtocol,
        token: readToken(record.tokenFile),
        names,
        // A hash: the gate compares the values without this process sending secrets over the socket.
        environment: environmentHash(names, env),
        pid: process.pid,
      };
      socket.write(`${JSON.stringify(hello)}\n`);
    });
  });
}

function readToken(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    // An empty token is refused by the gate with its own message.
    return '';
  }
}

function parseWelcome(text: string): Welcome | undefined {
  try {
    const value: unknown = JSON.parse(text);
    // Written by a gate of this user; `ok` decides which of the two it is.
    return typeof value === 'object' && value !== null && 'ok' in value ? (value as Welcome) : undefined;
  } catch {
    return undefined;
  }
}
