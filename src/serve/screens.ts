import { resolve } from 'node:path';
import type { Config } from '../config/schema.js';
import type { JsonObject } from '../core/json.js';
import type { Processes } from '../processes/processes.js';
import { version } from '../version.js';
import { identityOf } from './admission.js';
import type { Home } from './home.js';
import { configuredRegistry } from './mcp-registry.js';
import { packageLock } from './package-lock.js';
import type { PinFiles } from './pin-files.js';
import { contents } from './screening/content.js';
import { readings } from './screening/readings.js';
import { sourceReader } from './screening/runner.js';
import type { Screening } from './screening/evidence.js';
import { screening, type Screens } from './screening/screening.js';

export interface ScreensOptions {
  readonly config: () => Config;
  readonly base: string;
  readonly home: Pick<Home, 'scans'>;
  readonly processes: Pick<Processes, 'run' | 'tiers'>;
  readonly pins: PinFiles;
  onEvent(event: string, fields: JsonObject): void;
  onDecision(screening: Screening): void;
}

/** The check of local servers before they start, with everything it needs; closing it lets go of the registry. */
export function screensOf({
  config,
  base,
  home,
  processes,
  pins,
  onEvent,
  onDecision,
}: ScreensOptions): Screens & { close(): Promise<void> } {
  const registry = configuredRegistry(config);
  const made = screening({
    base,
    version,
    onEvent,
    onDecision,
    identityOf,
    read: sourceReader(processes, (problem) => onEvent('source.read_unconfined', { problem })),
    readings: readings(home.scans),
    contentOf: contents(),
    files: pins,
    lock: packageLock(resolve(base, 'toolgate.lock.json')).surfaces,
    lookup: async (name) => (config().mcp_registry === undefined ? undefined : registry.lookup(name)),
  });
  return { ...made, close: () => registry.close() };
}
