import type { ScanReport } from '../../scanner/report.js';

/** What is to be read, and how long it may take. */
export interface ReadingOrder {
  readonly root: string;
  /** The script that is started, relative to the root, where the folder may hold others as well. */
  readonly entry?: string;
  readonly timeoutMs: number;
}

/** What was read of a server's source: as much of the report as decisions need. */
export type Reading = Pick<ScanReport, 'findings' | 'gaps' | 'capabilities' | 'surface' | 'surfaceHash'>;

/** Why nothing is known about a server's source. */
export interface Unread {
  readonly unread: string;
}
