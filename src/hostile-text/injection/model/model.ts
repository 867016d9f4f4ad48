import { readFileSync } from 'node:fs';
import { packageFile } from '../../../lib/package-file.js';
import { BUCKETS } from './features.js';
import type { LinearModel, ScoredWindow } from './windows.js';
import { bestWindow } from './windows.js';

/** Written by `scripts/detector-train.mjs`: two floats (scale, bias), then one byte for each bucket. */
const WEIGHTS_FILE = 'dist/hostile-text/injection/model/weights.bin';
const HEADER_BYTES = 8;

let loaded: LinearModel | undefined;

/** Reads the weights at first use: a start without results to examine does not need them. */
function theModel(): LinearModel {
  if (loaded) return loaded;
  const bytes = readFileSync(packageFile(WEIGHTS_FILE));
  loaded = {
    scale: bytes.readFloatLE(0),
    bias: bytes.readFloatLE(4),
    weights: new Int8Array(bytes.buffer, bytes.byteOffset + HEADER_BYTES, BUCKETS),
  };
  return loaded;
}

/** Best scoring window of a normalised text, if any window could hold an instruction. */
export const modelWindow = (text: string): ScoredWindow | undefined => bestWindow(text, theModel());
