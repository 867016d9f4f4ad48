import type { Config } from '../../config/schema.js';
import { canonicalJson } from '../../lib/json/canonical-json.js';
import { isLoopback } from '../../lib/loopback.js';
import { egress } from '../../net/egress/egress.js';
import { namedPolicies } from '../../net/egress/named-policies.js';
import type { Log } from '../../observe/log/log.js';
import { approvalWebhook, type ApprovalWebhook } from '../approvals/webhook.js';

/** The webhook of the active configuration; a reload replaces it. Its way out leads to its own host alone (SSRF). */
export function configuredWebhook(config: () => Config, env: NodeJS.ProcessEnv, log: Log): ApprovalWebhook {
  let current: { readonly key: string; readonly webhook: ApprovalWebhook } | undefined;
  const active = (): ApprovalWebhook | undefined => {
    const { policy, security } = config();
    const entry = policy.confirmation.webhook;
    const secret = entry?.secret.resolve(env);
    if (entry === undefined || secret?.ok !== true) return undefined;
    const { url, attempts, network_policy: named } = entry;
    const { hostname } = new URL(url);
    const isLocal = isLoopback(hostname);
    const networks = namedPolicies(security)[named ?? (isLocal ? 'loopback' : 'public')];
    // The configuration was checked for it.
    if (networks === undefined) return undefined;
    // Anything that changes the delivery is part of the key; the secret included, so that a rotation takes effect.
    const key = canonicalJson([url, attempts, named ?? null, secret.value]);
    if (current?.key !== key) {
      // Its queue is dropped: the old receiver must not get further tickets.
      void current?.webhook.close();
      current = {
        key,
        webhook: approvalWebhook({
          url,
          attempts,
          secret: secret.value,
          egress: egress({
            networks,
            // Brackets belong to the URL, not to the address.
            hosts: [hostname.replaceAll(/^\[|\]$/g, '')],
            ports: 'any',
            schemes: isLocal ? ['http', 'https'] : ['https'],
          }),
          onDelivered: (event, ticket) => log.event('approval.delivered', { about: event, ticket }),
          onUndelivered: (event, ticket, problem) =>
            log.event('approval.undelivered', { about: event, ticket, problem }),
        }),
      };
    }
    return current.webhook;
  };
  return {
    send: (event, ticket) => active()?.send(event, ticket),
    close: async () => current?.webhook.close(),
  };
}
