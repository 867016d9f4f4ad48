import { resolve } from 'node:path';
import type { Config } from '../config/schema.js';
import type { JsonObject } from '../core/json.js';
import type { Processes } from '../processes/processes.js';
import type { RegistryListing } from '../sources/mcp/registration/registry-lookup.js';
import { packageLock } from '../sources/mcp/packages/package-lock.js';
import type { PinStore } from './pins/pin-files.js';
import { contentHasher } from './content-hash.js';
import { scanCache } from './scan/cache.js';
import { scanHistory } from './scan/scan-history.js';
import { scanRunner } from './scan/runner.js';
import type { AdmissionRecord } from './evidence.js';
import { sourceAdmission, type SourceAdmission } from './source-admission.js';

/** What admission is opened with. */
export interface OpenAdmissionOptions {
  readonly config: () => Config;
  readonly base: string;
  /** Folder of the scan cache. */
  readonly scans: string;
  /** Part of the cache key of scan results. */
  readonly version: string;
  readonly registry: { lookup(name: string): Promise<RegistryListing>; close(): Promise<void> };
  readonly processes: Pick<Processes, 'run' | 'tiers'>;
  readonly pins: PinStore;
  onEvent(event: string, fields: JsonObject): void;
  onDecision(record: AdmissionRecord): void;
}

/** Opens admission of local servers with its scanner, cache and pins; closing it closes the registry client. */
export function openSourceAdmission({
  config,
  base,
  scans,
  version,
  registry,
  processes,
  pins,
  onEvent,
  onDecision,
}: OpenAdmissionOptions): SourceAdmission & { close(): Promise<void> } {
  const admission = sourceAdmission({
    base,
    version,
    onEvent,
    onDecision,
    runScan: scanRunner(processes, (problem) => onEvent('source.read_unconfined', { problem })),
    cache: scanCache(scans),
    history: scanHistory(scans),
    hashContent: contentHasher(),
    files: pins,
    lock: packageLock(resolve(base, 'toolgate.lock.json')).surfaces,
    // Read at each lookup: a reload may add or remove the registry.
    lookup: async (name) => (config().mcp_registry === undefined ? undefined : registry.lookup(name)),
  });
  return { ...admission, close: () => registry.close() };
}
