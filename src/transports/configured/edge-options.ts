import type { Config } from '../../config/schema.js';
import { isLoopback } from '../../lib/loopback.js';
import { trustedProxies } from '../../net/addresses/forwarded.js';
import type { EdgeOptions } from '../http/edge/edge.js';

/** Edge options of a configuration; throws if a trusted proxy is not an address. */
export function edgeOptionsOf({ server }: Config): EdgeOptions {
  const peers = trustedProxies(server.trusted_proxies);
  if ('problem' in peers) throw new Error(`server.trusted_proxies: ${peers.problem}`);
  return {
    // A gateway on another address is also reached under it, so that its own address counts as an allowed Host (DNS
    // rebinding).
    allowedHosts: isLoopback(server.host) ? server.allowed_hosts : [server.host, ...server.allowed_hosts],
    allowedOrigins: server.allowed_origins,
    corsOrigins: server.cors_origins,
    maxBodyBytes: server.max_body_bytes,
    maxInflightBodyBytes: server.max_inflight_body_bytes,
    peerRatePerSecond: server.peer_rate_per_second,
    peers,
  };
}
