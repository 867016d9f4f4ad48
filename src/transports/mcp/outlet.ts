/** Where messages that belong to one request go before its answer; a message too many for a slow reader is dropped there. */
export interface Outlet {
  send(text: string): void;
  /** Lets go of the connection until the client comes back; absent where it could not. */
  detach?(): void;
}
