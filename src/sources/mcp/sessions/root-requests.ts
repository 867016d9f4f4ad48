/** How long a call waits for its server to ask for roots again. */
const askAgainMs = 1_000;

/**
 * Requests of one server for roots. Many servers ask right after `initialize`, when no client is there to answer; they get none then,
 * and are notified of a change when a call of a client with roots arrives, so that they ask again.
 */
export function rootRequests(notify: () => void) {
  let wasUnanswered = false;
  let offeredTo: string | undefined;
  let onAnswered: (() => void) | undefined;
  return {
    /** The server asked while no client could answer. */
    missed(): void {
      wasUnanswered = true;
    },
    /** A client has answered the server. */
    answered(): void {
      onAnswered?.();
    },
    /** Undefined if the server does not want the roots of this client, or has them; else resolves when it has asked, or after a second. */
    offer(client: string): Promise<void> | undefined {
      if (!wasUnanswered || offeredTo === client) return undefined;
      offeredTo = client;
      return new Promise((resolve) => {
        const timer = setTimeout(resolve, askAgainMs);
        onAnswered = () => {
          clearTimeout(timer);
          resolve();
        };
        notify();
      });
    },
  };
}
