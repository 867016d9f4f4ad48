import type { RegistryListing } from '../sources/mcp/registration/registry-lookup.js';
import type { McpConfig } from '../sources/mcp/config.js';
import type { AdmissionReason } from './decision.js';

/** Reason for a surface that is not the locked one. */
export const surfaceMoved = 'the tools its code registers differ from toolgate.lock.json';

/** Reasons against a server beside its scan: a surface that differs from the lock file, and a registry that does not list it. */
export function extraReasons(
  { admission, scan, registry_name: name = '' }: Pick<McpConfig, 'admission' | 'scan' | 'registry_name'>,
  found: { readonly movedTo: string | undefined; readonly registry: RegistryListing | undefined },
): readonly AdmissionReason[] {
  const reasons: AdmissionReason[] = [];
  // Under `pin` the definitions themselves are compared; only `strict` holds the whole server.
  if (found.movedTo !== undefined && admission === 'strict')
    reasons.push({ decision: 'quarantine', why: surfaceMoved, mark: `surface ${found.movedTo}` });
  if (found.registry?.verdict === 'not listed' && scan.unlisted !== 'allow')
    reasons.push({ decision: scan.unlisted, why: `the registry does not list ${name}`, mark: `unlisted ${name}` });
  return reasons;
}
