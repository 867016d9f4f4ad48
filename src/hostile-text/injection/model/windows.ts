import type { FeatureSink } from './features.js';
import { hashWord, visitFeatures, wordFeatures } from './features.js';
import { CUE_WORDS } from './cue-words.js';

/** Words in a window; windows overlap by three quarters. */
const WINDOW_WORDS = 24;
const STRIDE = 6;
/** Windows with fewer features are scored as if they had this many: a few words are weak evidence. */
export const MIN_FEATURES = 100;
/** Fewer words are a label or a fragment of a message, not a sentence. */
const MIN_WORDS = 5;
/** Cue words a window needs: text that names nothing an instruction could be about is no instruction. */
const MIN_CUES = 2;

const RING = 32;
const MASK = RING - 1;

/** A window of a text: its range and the score of the model. */
export interface ScoredWindow {
  readonly start: number;
  readonly end: number;
  readonly score: number;
}

const isCue = new Uint8Array(1 << 16);
for (const word of CUE_WORDS) isCue[hashWord(word) >>> 16] = 1;

/** Parameters of the linear model: weights in steps of `scale`, one per bucket, and the bias. */
export interface LinearModel {
  readonly weights: Int8Array;
  readonly scale: number;
  readonly bias: number;
}

/** Scores windows in one pass; sums before each word are kept in rings of the size of a window. */
class WindowScorer implements FeatureSink {
  best: ScoredWindow | undefined;
  private words = 0;
  private sum = 0;
  private features = 0;
  private cues = 0;
  private scoredAt = 0;
  private readonly sums = new Int32Array(RING);
  private readonly counts = new Int32Array(RING);
  private readonly cueCounts = new Int32Array(RING);
  private readonly starts = new Int32Array(RING);
  private end = 0;

  private readonly weights: Int8Array;

  constructor(private readonly model: LinearModel) {
    this.weights = model.weights;
  }

  endWord(start: number, end: number, hash: number, count: number): void {
    const { weights } = this;
    let sum = 0;
    for (let feature = 0; feature < count; feature++) sum += weights[wordFeatures[feature] ?? 0] ?? 0;
    this.sum += sum;
    this.features += count;
    const index = this.words & MASK;
    this.starts[index] = start;
    this.end = end;
    this.cues += isCue[hash >>> 16] ?? 0;
    this.words++;
    // Totals before the next word.
    const next = this.words & MASK;
    this.sums[next] = this.sum;
    this.counts[next] = this.features;
    this.cueCounts[next] = this.cues;
    if (this.words >= WINDOW_WORDS && (this.words - WINDOW_WORDS) % STRIDE === 0) this.score();
  }

  /** Scores the last window, which need not begin at a multiple of the stride. */
  finish(): ScoredWindow | undefined {
    if (this.words > this.scoredAt) this.score();
    return this.best;
  }

  private score(): void {
    this.scoredAt = this.words;
    if (this.words < MIN_WORDS) return;
    const first = Math.max(0, this.words - WINDOW_WORDS) & MASK;
    if (this.cues - (this.cueCounts[first] ?? 0) < MIN_CUES) return;
    const sum = this.sum - (this.sums[first] ?? 0);
    const features = this.features - (this.counts[first] ?? 0);
    const score = this.model.bias + (this.model.scale * sum) / Math.sqrt(Math.max(MIN_FEATURES, features));
    if (this.best && score <= this.best.score) return;
    this.best = { start: this.starts[first] ?? 0, end: this.end, score };
  }
}

/** Best scoring window of normalised text; undefined if no window has enough cue words. */
export function bestWindow(text: string, model: LinearModel): ScoredWindow | undefined {
  const scorer = new WindowScorer(model);
  visitFeatures(text, scorer);
  return scorer.finish();
}

/** Feature ranges of the windows that `bestWindow` scores, for training. */
export function windowFeatures(text: string): readonly Uint32Array[] {
  const buckets: number[] = [];
  const ends: number[] = [0];
  const cues: number[] = [0];
  visitFeatures(text, {
    endWord: (_start, _end, hash, count) => {
      for (let feature = 0; feature < count; feature++) buckets.push(wordFeatures[feature] ?? 0);
      ends.push(buckets.length);
      cues.push((cues.at(-1) ?? 0) + (isCue[hash >>> 16] ?? 0));
    },
  });
  const words = ends.length - 1;
  const lasts: number[] = [];
  for (let last = WINDOW_WORDS; last <= words; last += STRIDE) lasts.push(last);
  if (lasts.at(-1) !== words && words >= MIN_WORDS) lasts.push(words);
  return lasts.flatMap((last) => {
    const first = Math.max(0, last - WINDOW_WORDS);
    if ((cues[last] ?? 0) - (cues[first] ?? 0) < MIN_CUES) return [];
    return [Uint32Array.from(buckets.slice(ends[first], ends[last]))];
  });
}
