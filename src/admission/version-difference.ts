import type { Json, JsonObject } from '../core/json.js';
import { compareScans } from '../scanner/difference.js';
import type { ScanCache } from './scan/cache.js';
import type { ScanHistory } from './scan/scan-history.js';
import type { ScanResult } from './scan/result.js';

/** What changed between the two newest scanned versions of a source; undefined if fewer than two are known. */
export async function versionDifference(
  source: string,
  history: ScanHistory,
  scans: ScanCache,
): Promise<JsonObject | undefined> {
  const [before, after] = history.list(source).slice(-2);
  // A first version has nothing to be compared with.
  if (before === undefined || after === undefined) return undefined;
  const [old, fresh] = await Promise.all([scans.get(before.scan), scans.get(after.scan)]);
  // A result may have been evicted from the cache.
  if (old === undefined || fresh === undefined) return undefined;
  const { addedTools, removedTools, changedTools, newFindings, fixedFindings } = compareScans(
    asReport(old),
    asReport(fresh),
  );
  const findingLine = ({ severity, rule, message, location }: ScanResult['findings'][number]): JsonObject => ({
    severity,
    rule,
    message,
    file: location.file,
    line: location.startLine,
  });
  return {
    before: { content: before.content, at: before.at },
    after: { content: after.content, at: after.at },
    added_tools: addedTools,
    removed_tools: removedTools,
    changed_tools: changedTools as unknown as Json, // plain JSON
    // Bounded, because the response is read by a browser.
    new_findings: newFindings.slice(0, 100).map(findingLine),
    fixed_findings: fixedFindings.slice(0, 100).map(findingLine),
  };
}

/** Cached results lack what a comparison of tools and findings does not read. */
const asReport = (result: ScanResult): Parameters<typeof compareScans>[0] => ({
  ...result,
  verdict: result.findings.length > 0 ? 'findings' : result.gaps.length > 0 ? 'incomplete' : 'clean',
  coverage: [],
  counts: { critical: 0, high: 0, medium: 0, low: 0, note: 0 },
});
