import type { ScanReport } from '../report.js';

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
  return `${JSON.stringify({ verdict, counts, findings, gaps, capabilities, coverage, surface_hash: surfaceHash, surface: offered }, null, 2)}\n`;
}
