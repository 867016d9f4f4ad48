import type { Location } from '../ir/positions.js';
import type { ScanReport } from '../report.js';

/** A location with the names of all JSON reports (`start_line`); the names of the library (`startLine`) stay as aliases. */
const namedLocation = (location: Location): Location & Record<string, unknown> => ({
  ...location,
  start_line: location.startLine,
  start_column: location.startColumn,
  end_line: location.endLine,
  end_column: location.endColumn,
});

/** Formats a scan as JSON; deterministic for the same input. */
export function formatScanJson({
  verdict,
  counts,
  findings,
  gaps,
  capabilities,
  coverage,
  surface,
  surfaceHash,
}: ScanReport): string {
  const offered = {
    tools: surface.tools.length,
    resources: surface.resources.length,
    prompts: surface.prompts.length,
    transports: surface.transports,
    sdks: surface.sdks,
    unresolved: surface.unresolved,
    files: surface.files,
    bytes: surface.bytes,
  };
  const shown = findings.map((finding) => ({
    ...finding,
    location: namedLocation(finding.location),
    ...(finding.flow && { flow: finding.flow.map(({ at, says }) => ({ at: namedLocation(at), says })) }),
  }));
  return `${JSON.stringify({ verdict, counts, findings: shown, gaps, capabilities, coverage, surface_hash: surfaceHash, surface: offered }, null, 2)}\n`;
}
