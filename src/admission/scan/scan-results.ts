import { sha256 } from '../../lib/hash.js';
import { lru } from '../../lib/lru.js';
import type { McpConfig } from '../../sources/mcp/config.js';
import type { HashContent } from '../content-hash.js';
import type { ScanCache } from './cache.js';
import type { ScanFailure, ScanResult } from './result.js';
import type { RunScan } from './runner.js';

interface ScanResultsOptions {
  /** Part of the cache key: results of other scanner versions are not reused. */
  readonly version: string;
  readonly runScan: RunScan;
  readonly cache: ScanCache;
  readonly hashContent: HashContent;
}

/** Result of a scan and the hash of the content it is about; no hash if the content could not be read. */
export interface ScannedCode {
  readonly result: ScanResult | ScanFailure;
  readonly content?: string;
  /** Key of the result in the cache. */
  readonly scan?: string;
}

// Incomplete results are kept in memory only, and bounded.
const maxIncomplete = 1_000;

const isIncomplete = (result: ScanResult | ScanFailure): boolean =>
  'unread' in result || result.gaps.some(({ reason }) => reason === 'timeout' || reason.includes('not followed'));

/** Scans folders, or returns the cached result for the same content. */
export function scanResults({ version, runScan, cache, hashContent }: ScanResultsOptions) {
  const incomplete = lru<string, ScanResult | ScanFailure>(maxIncomplete);

  async function scan(config: McpConfig, root: string, entry: string | undefined): Promise<ScannedCode> {
    const whole = await hashContent(root);
    // The folder is too large to hash, so only the entry script is scanned.
    const only = whole === undefined && entry !== undefined ? `${root}/${entry}` : undefined;
    const content = whole ?? (only === undefined ? undefined : await hashContent(only));
    if (content === undefined) return { result: { unread: 'its folder is too large to scan' } };
    // Content and scanner version: new rules must scan old code again.
    const key = sha256([version, content, entry ?? '', only ?? ''].join('\n'));
    const kept = (await cache.get(key)) ?? incomplete.get(key);
    if (kept) return { result: kept, content, scan: key };
    const result = await runScan({
      root: only ?? root,
      ...(entry !== undefined && only === undefined && { entry }),
      timeoutMs: config.scan.timeout * 1000,
      memoryMb: config.scan.memory_mb,
    });
    // An incomplete scan is retried at the next start of the gateway, not at each start of the server.
    if ('unread' in result || isIncomplete(result)) incomplete.set(key, result);
    else await cache.put(key, result).catch(() => undefined); // a failed write only costs a new scan
    return { result, content, scan: key };
  }

  return async (config: McpConfig, root: string, entry: string | undefined): Promise<ScannedCode> => {
    try {
      return await scan(config, root, entry);
    } catch (error) {
      // Only the error code: a message would disclose paths to every client that lists sources.
      const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
      return { result: { unread: `its code cannot be read${code}` } };
    }
  };
}
