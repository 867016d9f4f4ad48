/** Legacy session at a remote server: the id it gave and the negotiated revision, as headers of every later request. */
export function httpSession() {
  let id: string | undefined;
  let version: string | undefined;
  return {
    id: () => id,
    /** Takes the id of a response; anything but visible ASCII could split a header. */
    setId(given: unknown): void {
      if (typeof given === 'string' && /^[\x21-\x7e]{1,512}$/.test(given)) id = given;
    },
    setVersion(negotiated: string): void {
      version = negotiated;
    },
    headers: (): Record<string, string> => ({
      ...(id !== undefined && { 'mcp-session-id': id }),
      ...(version !== undefined && { 'mcp-protocol-version': version }),
    }),
  };
}
