import { availableParallelism } from 'node:os';
import { isCode } from '../languages/index.js';
import { sizeOf } from '../project/load.js';
import type { Walked } from '../project/walk.js';
import type { Gap } from '../report.js';
import { costOf } from './cost.js';
import { merged, type Merged, type ReadPart } from './merge.js';
import { unpacked, type PackedAnswer, type PartOrder, type PartSetting } from './order.js';
import { partsOf, type Part } from './parts.js';
import { readParts, surveyed, type Broken } from './pool.js';
import type { Survey } from './survey.js';

/** How trees are read that are too large for one reading. */
export interface LargeTrees {
  /** A tree of more code than this is no single server: it is read in parts, in worker threads. */
  readonly fromBytes: number;
  /** The same by what the code costs to read: small files are read whole, so a tree of them fills the memory sooner. */
  readonly fromCost: number;
  /** And by their number: each takes some memory beside its code. */
  readonly fromFiles: number;
  /** How much code is read at once; a program that is larger is read alone. */
  readonly partBytes: number;
  /** The most worker threads; what comes out is the same for any number of them. */
  readonly workers: number;
}

/** Two workers and the main thread stay under 400 MB. */
const defaults: LargeTrees = {
  fromBytes: 16_000_000,
  fromCost: 8_000_000,
  fromFiles: 5_000,
  partBytes: 900_000,
  workers: Math.min(2, availableParallelism()),
};

/** What the heap of a worker may hold; a program that is larger than a part has the room of two. */
const heapMb = { part: 140, alone: 255 };
const maxFilesAtOnce = 600;
/** How often a file is read on average, at most, where programs share it. */
const maxReadings = 3;
/** Each of reading, running twice and following has the time of a scan; all parts together have no more. */
const phases = 4;
/** Time for a worker to end by itself before it is ended. */
const graceMs = 30_000;

export interface TreeOptions extends Omit<PartSetting, 'tree'> {
  readonly large?: Partial<LargeTrees> | undefined;
  readonly onProgress?: ((doing: string) => void) | undefined;
}

/** Whether a tree is read in parts; a single file never is. */
export function isLarge({ root, files, only }: Walked, large: Partial<LargeTrees> = {}): boolean {
  if (only !== undefined) return false;
  const { fromBytes, fromCost, fromFiles } = { ...defaults, ...large };
  const code = files.filter(isCode);
  if (code.length > fromFiles) return true;
  let [bytes, cost] = [0, 0];
  for (const path of code) {
    const size = sizeOf(root, path);
    bytes += size;
    cost += costOf(path, size);
  }
  return bytes > fromBytes || cost > fromCost;
}

/** Reads a large tree in parts; what comes out does not depend on how many workers there are, or which is first. */
export async function scanTree(walked: Walked, { large, onProgress, ...shared }: TreeOptions): Promise<Merged> {
  const { limits } = shared;
  const { partBytes, workers } = { ...defaults, ...large };
  const deadline = Date.now() + limits.timeoutMs * phases;
  const timeoutMs = limits.timeoutMs * phases + graceMs;
  const survey = await surveyed({ walked, limits }, { memoryMb: heapMb.alone, timeoutMs });
  if ('broken' in survey) return unread(walked, survey);
  const parts = partsOf(survey.files, survey.entries, { maxCost: partBytes, maxFiles: maxFilesAtOnce, maxReadings });
  const answers = new Map<Part, PackedAnswer | Broken>();
  const count = parts.reduce((sum, { paths }) => sum + paths.length, 0);
  let done = 0;
  const onDone = ({ paths }: PartOrder): void => {
    done += paths.length;
    onProgress?.(`read ${done} of ${count} files`);
  };
  const read = async (some: readonly Part[], most: number, memoryMb: number, elsewhere: boolean): Promise<void> => {
    const orders = some.map(({ paths }): PartOrder => ({ paths, elsewhere, deadline }));
    const isFresh = memoryMb === heapMb.alone;
    const pool = { setting: { ...shared, tree: survey.tree }, workers: most, memoryMb, isFresh, timeoutMs };
    for (const [at, answer] of (await readParts(orders, pool, onDone)).entries()) {
      const part = some[at];
      if (part) answers.set(part, answer);
    }
  };
  for (const isStarted of [true, false]) {
    const some = parts.filter((part) => part.isStarted === isStarted);
    const elsewhere = [...answers.values()].some((answer) => !('broken' in answer) && answer.offers);
    await read(
      some.filter(({ cost }) => cost <= partBytes),
      Math.max(1, workers),
      heapMb.part,
      elsewhere,
    );
    await read(
      some.filter(({ cost }) => cost > partBytes),
      1,
      heapMb.alone,
      elsewhere,
    );
  }
  return concluded(parts, answers, survey);
}

/** A tree that could not even be looked at: nothing of it is known. */
const unread = ({ files, skipped }: Walked, { broken }: Broken): Merged =>
  merged([], { files: 0, bytes: 0, skipped, gaps: files.filter(isCode).map((file) => ({ file, reason: broken })) });

function concluded(parts: readonly Part[], answers: ReadonlyMap<Part, PackedAnswer | Broken>, survey: Survey): Merged {
  const made = parts.flatMap((part): ReadPart[] => {
    const answer = answers.get(part);
    return answer && !('broken' in answer) ? [{ paths: part.paths, answer: unpacked(answer) }] : [];
  });
  const gaps = parts.flatMap((part): Gap[] => {
    const answer = answers.get(part);
    const broken = answer && 'broken' in answer ? answer.broken : part.isCut ? cut : undefined;
    return broken === undefined ? [] : part.paths.map((file) => ({ file, reason: broken }));
  });
  return merged(made, { files: survey.files.length, bytes: survey.bytes, skipped: survey.skipped, gaps });
}

const cut = 'it was read without all that it imports: too many programs share it';
