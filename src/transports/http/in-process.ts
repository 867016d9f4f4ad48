import { request as httpRequest, type IncomingMessage } from 'node:http';
import { Duplex, Readable } from 'node:stream';

/** One end of a connection in memory, with the parts of a socket that an HTTP listener uses. */
class MemorySocket extends Duplex {
  #other: MemorySocket | undefined;
  #resume: (() => void) | undefined;
  /** As for a Unix socket: no address, so that no limit per address applies. */
  readonly remoteAddress = undefined;

  static pair(): readonly [MemorySocket, MemorySocket] {
    const [near, far] = [new MemorySocket(), new MemorySocket()];
    near.#other = far;
    far.#other = near;
    return [near, far];
  }

  override _read(): void {
    const resume = this.#resume;
    this.#resume = undefined;
    resume?.();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    const other = this.#other;
    if (other === undefined || other.destroyed) return done();
    // Back-pressure: the next chunk waits until the other end reads.
    if (other.push(chunk)) done();
    else other.#resume = done;
  }

  override _final(done: () => void): void {
    this.#other?.push(null);
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const other = this.#other;
    this.#other = undefined;
    // A connection that closes on one end closes on the other, which cancels the call.
    if (other !== undefined && !other.destroyed) setImmediate(() => other.destroy());
    done(error);
  }

  destroySoon(): void {
    if (this.writableFinished) this.destroy();
    else this.end(() => this.destroy());
  }

  setTimeout(): this {
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }
}

/**
 * A `fetch` that reaches a listener inside of this process. Requests pass the same edge as those of a socket: routes, limits,
 * Origin check, authentication. The Host header is always `localhost`: its check protects against browsers (DNS rebinding), and
 * no browser can make this call.
 */
export const inProcessFetch =
  (connect: (stream: Duplex) => void) =>
  async (request: Request): Promise<Response> => {
    const { pathname, search } = new URL(request.url);
    const [client, server] = MemorySocket.pair();
    const headers: Record<string, string> = {};
    for (const [name, value] of request.headers) headers[name] = value;
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      const outgoing = httpRequest({
        createConnection: () => client,
        method: request.method,
        path: pathname + search,
        headers: { ...headers, host: 'localhost' },
        signal: request.signal,
      });
      outgoing.once('response', resolve).once('error', reject);
      if (request.body === null) outgoing.end();
      // The web stream of a Request is that of Node.
      else Readable.fromWeb(request.body as Parameters<typeof Readable.fromWeb>[0]).pipe(outgoing);
    });
    connect(server);
    return toResponse(await answered);
  };

function toResponse(incoming: IncomingMessage): Response {
  const status = incoming.statusCode ?? 500;
  const headers = new Headers();
  for (let at = 0; at < incoming.rawHeaders.length; at += 2)
    headers.append(incoming.rawHeaders[at] ?? '', incoming.rawHeaders[at + 1] ?? '');
  const hasBody = status !== 204 && status !== 205 && status !== 304;
  if (!hasBody) incoming.resume();
  // Node's web stream is the one that Response takes.
  return new Response(hasBody ? (Readable.toWeb(incoming) as ReadableStream) : null, { status, headers });
}
