import { existsSync } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ownFile } from '../../lib/own-files.js';
import type { ProcessSpec, TierReport } from '../../processes/index.js';

// Only a Node that needs it keeps its library path.
const libraries = process.env['LD_LIBRARY_PATH'];

/** How a reader of strange code is held: all of a start but what it runs. */
export type Holding = Omit<ProcessSpec, 'args' | 'limits'>;

/** Where a reader finds itself: the folder it reads, by the path that leads there without links. */
export interface Apart {
  readonly root: string;
  readonly holding: Holding;
  /** Set where it is held less than it should be. */
  readonly weaker?: string;
}

/**
 * Holds a process that only reads: without any network, and with nothing to see but itself and the code before it,
 * so that a fault in a parser would neither reach anybody nor leave anything behind. Without bwrap it has limits only.
 */
export async function readingApart(given: string, tiers: Pick<TierReport, 'bwrapNoNetwork'>): Promise<Apart> {
  const root = await realpath(given).catch(() => given);
  const shared = { file: process.execPath, env: libraries === undefined ? {} : { LD_LIBRARY_PATH: libraries } };
  const { available, reason } = tiers.bwrapNoNetwork;
  if (!available) {
    return {
      root,
      holding: { ...shared, tier: 'prlimit', network: 'host' },
      weaker: reason ?? 'the bwrap tier cannot be used',
    };
  }
  const folder = (await stat(root).catch(() => undefined))?.isFile() === true ? dirname(root) : root;
  return { root, holding: { ...shared, tier: 'bwrap', network: 'none', readable: [...ownFolders(), folder] } };
}

/** Our own code, what it imports, and what this Node is made of. */
function ownFolders(): readonly string[] {
  const found = [ownFile('package.json'), ownFile('dist')];
  for (let folder = ownFile('.'); ; folder = dirname(folder)) {
    found.push(join(folder, 'node_modules'));
    if (folder === dirname(folder)) break;
  }
  const linked = (libraries ?? '').split(':').filter((path) => path.startsWith('/'));
  return [...found, ...linked].filter((path) => existsSync(path));
}
