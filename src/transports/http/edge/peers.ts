import type { IncomingHttpHeaders } from 'node:http';

/** The address of the client behind a connection; the one answer for limits, log and audit. */
export interface Peers {
  /** Whether the address is a trusted proxy, which connects on behalf of many clients. */
  isProxy(address: string): boolean;
  /** Client address: of the connection, or what a trusted proxy reports. */
  clientOf(address: string | undefined, headers: IncomingHttpHeaders): string;
  /** Key for limits: equal for addresses that one client can choose from. */
  groupOf(address: string): string;
}

/** Without trusted proxies: the connection decides, forwarding headers are ignored. */
export const directPeers: Peers = {
  isProxy: () => false,
  clientOf: (address) => address ?? 'local',
  groupOf: (address) => address,
};
