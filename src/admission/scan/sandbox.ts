import { existsSync } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { packageFile } from '../../lib/package-file.js';
import type { ProcessSpec, TierReport } from '../../processes/index.js';

// Some Node builds cannot load their shared libraries without this variable.
const libraryPath = process.env['LD_LIBRARY_PATH'];

/** Process settings of a scan, without its arguments and limits. */
type SandboxSpec = Omit<ProcessSpec, 'args' | 'limits'>;

/** Sandbox of a scan; `root` is the real path of the scanned folder. */
interface ScanSandbox {
  readonly root: string;
  readonly spec: SandboxSpec;
  /** Why the sandbox is weaker than intended, if it is. */
  readonly weakness?: string;
}

/**
 * Sandbox for a process that only reads: no network, and a file system that contains only its own program and the scanned code,
 * so that an exploited parser can neither exfiltrate nor persist anything. Without bwrap only resource limits apply.
 */
export async function scanSandbox(given: string, tiers: Pick<TierReport, 'bwrapNoNetwork'>): Promise<ScanSandbox> {
  const root = await realpath(given).catch(() => given);
  const shared = { file: process.execPath, env: libraryPath === undefined ? {} : { LD_LIBRARY_PATH: libraryPath } };
  const { available, reason } = tiers.bwrapNoNetwork;
  if (!available) {
    return {
      root,
      spec: { ...shared, tier: 'prlimit', network: 'host' },
      weakness: reason ?? 'the bwrap tier is not available',
    };
  }
  const folder = (await stat(root).catch(() => undefined))?.isFile() === true ? dirname(root) : root;
  return { root, spec: { ...shared, tier: 'bwrap', network: 'none', readable: [...runtimeFolders(), folder] } };
}

/** Folders the scan process needs: this package, its dependencies and the libraries of Node. */
function runtimeFolders(): readonly string[] {
  const found = [packageFile('package.json'), packageFile('dist')];
  for (let folder = packageFile('.'); ; folder = dirname(folder)) {
    found.push(join(folder, 'node_modules'));
    if (folder === dirname(folder)) break;
  }
  const linked = (libraryPath ?? '').split(':').filter((path) => path.startsWith('/'));
  return [...found, ...linked].filter((path) => existsSync(path));
}
