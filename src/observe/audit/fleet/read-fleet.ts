import type { ArchivePosition, AuditArchive } from '../../../state/postgres/audit-archive.js';
import { unseal, type AuditEntry } from '../audit-entry.js';
import { toEntryFilter, type AuditFilter } from '../audit-read.js';

/** An entry and the journal of the replica that wrote it. */
export type FleetEntry = AuditEntry & { readonly journal: string };

/** Lines per request to the archive. */
const pageLines = 1_000;
/** Lines that are looked at for one query. */
const maxScanned = 1_000_000;

/** Newest matching entries of all replicas, oldest first. */
export async function readFleet(archive: AuditArchive, filter: AuditFilter = {}): Promise<readonly FleetEntry[]> {
  const matches = toEntryFilter(filter);
  const limit = filter.limit ?? 1_000;
  const found: FleetEntry[] = [];
  let before: ArchivePosition | undefined;
  for (let scanned = 0; scanned < maxScanned && found.length < limit; scanned += pageLines) {
    const page = await archive.newest(before, pageLines);
    for (const { line, journal } of page) {
      const entry = unseal(line);
      if (entry && matches(entry)) found.push({ ...entry, journal });
    }
    before = page.at(-1);
    // The last page.
    if (page.length < pageLines) break;
  }
  return found
    .slice(0, limit)
    .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : a.journal < b.journal ? -1 : a.seq - b.seq));
}
