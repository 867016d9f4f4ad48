import type { SurfaceReport } from '../surface/report.js';

/** Formats a surface as JSON: the original fields first, later additions after them. */
export function formatSurfaceJson(report: SurfaceReport): string {
  const surface = {
    tools: report.tools,
    resources: report.resources,
    prompts: report.prompts,
    transport: report.transports[0] ?? 'unknown',
    auth_signals: report.authSignals,
    transports: report.transports,
    optional_tools: report.optionalTools,
    sdks: report.sdks,
    unresolved: report.unresolved,
    skipped: report.skipped,
    files: report.files,
    bytes: report.bytes,
  };
  return `${JSON.stringify({ surface }, null, 2)}\n`;
}
