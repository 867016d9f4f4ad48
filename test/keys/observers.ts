import { request } from 'node:http';
import type { Loose } from '../support/mcp.js';
import { release } from './lab-source.js';
import type { Sending, Subject } from './subject.js';

/** Status of a request. */
export const status =
  (path: string, sending: Sending = {}) =>
  async (subject: Subject): Promise<number> =>
    (await subject.send(path, sending)).status;

/** Code of a call, `ok` if it ran. */
export const code =
  (tool: string, args: object = {}, sending: Sending = {}) =>
  async (subject: Subject): Promise<string> =>
    (await subject.call(tool, args, sending)).code;

/** Codes of the same call, one after the other. */
export const codes =
  (times: number, tool: string, args: object = {}, sending: Sending = {}) =>
  async (subject: Subject): Promise<string> => {
    const seen: string[] = [];
    for (let turn = 0; turn < times; turn += 1) seen.push((await subject.call(tool, args, sending)).code);
    return seen.join(' ');
  };

/** Whether the body of an answer contains a text. */
export const holds =
  (path: string, text: string, sending: Sending = {}) =>
  async (subject: Subject): Promise<boolean> =>
    (await subject.send(path, sending)).text.includes(text);

/** Whether the answer to a call contains a text. */
export const says = (tool: string, text: string, args: object = {}, sending: Sending = {}) =>
  holds(`/tools/${tool}/execute`, text, { body: args, ...sending });

/** Whether a tool is offered. */
export const offers =
  (tool: string, sending: Sending = {}) =>
  async (subject: Subject): Promise<boolean> =>
    (await subject.send('/tools', sending)).json.tools.some(({ name }: Loose) => name === tool);

/** A part of the definition of a tool, as MCP lists it. */
export const definition =
  (name: string, part: (tool: Loose) => unknown) =>
  async (subject: Subject): Promise<unknown> => {
    const { tools } = await subject.mcp('tools/list', {});
    return part(tools.find((tool: Loose) => tool.name === name));
  };

/** What the gateway answers while a call of `hold` runs. */
export const whileHeld =
  <T>(observe: (subject: Subject) => Promise<T>, args: object = {}) =>
  async (subject: Subject): Promise<T> => {
    const running = subject.call('hold', args);
    await untilActive(subject, 1);
    try {
      return await observe(subject);
    } finally {
      release();
      await running;
    }
  };

/** Resolves once so many calls run. */
export async function untilActive(subject: Subject, count: number): Promise<void> {
  while (subject.embedded.gate.gateway.active() < count) await new Promise((resolve) => setImmediate(resolve));
}

const addresses = new WeakMap<object, Promise<string>>();

/** Address of the listener of a gateway, which is opened once. */
export function addressOf({ embedded }: Subject): Promise<string> {
  const listening = addresses.get(embedded) ?? embedded.listen();
  addresses.set(embedded, listening);
  return listening;
}

/** A request over a socket, for what concerns addresses and hosts. */
export async function overSocket(
  subject: Subject,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number; readonly text: string }> {
  const { embedded } = subject;
  const url = new URL(path, await addressOf(subject));
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: url.hostname,
        port: url.port,
        path,
        agent: false,
        headers: { authorization: `Bearer ${embedded.token}`, ...headers },
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        // An event stream does not end by itself; its status is all that matters.
        if (response.headers['content-type']?.includes('event-stream') === true) {
          resolve({ status: response.statusCode ?? 0, text: '' });
          response.destroy();
        } else response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      },
    );
    sent.on('error', reject).end();
  });
}
