import type { ScanReport } from '../../scanner/report.js';

/** Folder to scan, with its time limit. */
export interface ScanRequest {
  readonly root: string;
  /** Entry script, relative to the root, if the folder may contain other servers. */
  readonly entry?: string;
  readonly timeoutMs: number;
}

/** Part of the scan report that admission needs. */
export type ScanResult = Pick<ScanReport, 'findings' | 'gaps' | 'capabilities' | 'surface' | 'surfaceHash'>;

/** Why there is no scan result. */
export interface ScanFailure {
  readonly unread: string;
}
