import { connect } from 'node:net';

const end = Buffer.from('\r\n\r\n');
const silentMs = 20_000;

/** Reads one HTTP response after another from a socket; hand-written so that the load costs less than what it measures. */
function responses(socket, onResponse) {
  let held = Buffer.alloc(0);
  socket.on('data', (chunk) => {
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    for (;;) {
      const head = held.indexOf(end);
      if (head < 0) return;
      const headers = held.toString('latin1', 0, head);
      const length = /content-length: (\d+)/i.exec(headers);
      let body;
      if (length) {
        const stop = head + 4 + Number(length[1]);
        if (held.length < stop) return;
        body = held.toString('utf8', head + 4, stop);
        held = held.subarray(stop);
      } else {
        const last = held.indexOf('0\r\n\r\n', head + 4);
        if (last < 0) return;
        body = held.toString('utf8', head + 4, last);
        held = held.subarray(last + 5);
      }
      onResponse(Number(headers.slice(9, 12)), body, headers);
    }
  });
}

/** One keep-alive connection that sends a request and waits for its answer. */
export function connection(port, path = '/mcp') {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  let waiting;
  responses(socket, (status, body, headers) => waiting.resolve({ status, body, headers }));
  socket.on('error', (error) => waiting?.reject(error));
  // A peer that closes, or never answers, must end the measurement instead of holding it.
  socket.on('close', () => waiting?.reject(new Error('the server closed the connection')));
  socket.setTimeout(silentMs, () => socket.destroy(new Error(`no answer within ${silentMs / 1_000} s`)));
  return {
    send: (headers, body) =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject };
        socket.write(
          `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\ncontent-length: ${Buffer.byteLength(body)}\r\n${headers}\r\n${body}`,
        );
      }),
    close: () => socket.destroy(),
  };
}

const quantile = (sorted, part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];

/** Sends `calls` distinct requests over so many connections and checks every answer. */
export async function load({ port, connections, calls, request, open, path }) {
  const pool = Array.from({ length: connections }, () => connection(port, path));
  const contexts = await Promise.all(pool.map((each) => open?.(each)));
  const times = [];
  let next = 0;
  const start = performance.now();
  await Promise.all(
    pool.map(async (each, at) => {
      while (next < calls) {
        const number = next++;
        const { headers, body } = request(number, contexts[at]);
        const began = performance.now();
        const answer = await each.send(headers, body);
        times.push(performance.now() - began);
        if (answer.status !== 200 || !answer.body.includes(`said ${number}.`))
          throw new Error(`call ${number}: ${answer.status} ${answer.body.slice(0, 300)}`);
      }
    }),
  );
  const seconds = (performance.now() - start) / 1_000;
  for (const each of pool) each.close();
  times.sort((a, b) => a - b);
  return { perSecond: Math.round(calls / seconds), p50Ms: quantile(times, 0.5), p99Ms: quantile(times, 0.99) };
}
