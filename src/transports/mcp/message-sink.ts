/** Sends notifications that precede the response to one request; drops them for a slow reader (backpressure). */
export interface MessageSink {
  send(text: string): void;
  /** Closes the connection until the client resumes the stream; absent if it cannot. */
  detach?(): void;
}
