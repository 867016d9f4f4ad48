import { availableParallelism } from 'node:os';
import { isCode } from '../languages/index.js';
import { fileSize } from '../project/load.js';
import { locateFile, type WalkedFiles } from '../project/walk.js';
import type { Gap } from '../report.js';
import { costOf } from './cost.js';
import { mergeParts, type MergedReport, type ScannedPart } from './merge.js';
import { decodeResult, type EncodedPartResult, type PartRequest, type PartSettings } from './messages.js';
import { partitionFiles, type Part } from './partition.js';
import { scanParts, runSurvey, type PartFailure } from './pool.js';
import type { Survey } from './survey.js';

/** Thresholds and sizes for trees that are scanned in parts. */
export interface LargeTreeLimits {
  /** Code size from which a tree is scanned in parts, in worker threads. */
  readonly fromBytes: number;
  /** The same by estimated memory: small files are parsed completely, so they fill the memory sooner. */
  readonly fromCost: number;
  /** The same by number of files: each has a fixed overhead. */
  readonly fromFiles: number;
  /** Size of a part; a larger program is scanned alone. */
  readonly partBytes: number;
  /** Maximum number of worker threads; does not affect the result. */
  readonly workers: number;
}

/** Chosen so that two workers and the main thread stay under 400 MB. */
const defaultLargeTreeLimits: LargeTreeLimits = {
  fromBytes: 16_000_000,
  fromCost: 8_000_000,
  fromFiles: 5_000,
  partBytes: 900_000,
  workers: Math.min(2, availableParallelism()),
};

/** Heap limits of a worker; a program larger than a part gets the memory of two workers. */
const heapMb = { part: 140, alone: 255 };
const maxFilesAtOnce = 600;
/** How often a shared file may be scanned, on average. */
const maxReadsPerFile = 3;
/** Parsing, two evaluations and data-flow analysis each have the time limit of a scan; all parts share it. */
const phaseCount = 4;
/** Grace period before a worker is terminated. */
const graceMs = 30_000;

interface TreeOptions extends Omit<PartSettings, 'tree'> {
  readonly large?: Partial<LargeTreeLimits> | undefined;
  readonly onProgress?: ((doing: string) => void) | undefined;
}

/** Whether a tree is scanned in parts; a single file never is. */
export function isLarge(walked: WalkedFiles, large: Partial<LargeTreeLimits> = {}): boolean {
  if (walked.only !== undefined) return false;
  const { fromBytes, fromCost, fromFiles } = { ...defaultLargeTreeLimits, ...large };
  const code = walked.files.filter(isCode);
  if (code.length > fromFiles) return true;
  let [bytes, cost] = [0, 0];
  for (const path of code) {
    const size = fileSize(locateFile(walked, path));
    bytes += size;
    cost += costOf(path, size);
  }
  return bytes > fromBytes || cost > fromCost;
}

/** Scans a large tree in parts; the result does not depend on the number or the timing of workers. */
export async function scanTree(
  walked: WalkedFiles,
  { large, onProgress, ...shared }: TreeOptions,
): Promise<MergedReport> {
  const { limits } = shared;
  const { partBytes, workers } = { ...defaultLargeTreeLimits, ...large };
  const deadline = Date.now() + limits.timeoutMs * phaseCount;
  const timeoutMs = limits.timeoutMs * phaseCount + graceMs;
  const survey = await runSurvey({ walked, limits }, { memoryMb: heapMb.alone, timeoutMs });
  if ('failure' in survey) return failedTree(walked, survey);
  const parts = partitionFiles(survey.files, survey.entries, {
    maxCost: partBytes,
    maxFiles: maxFilesAtOnce,
    maxReadings: maxReadsPerFile,
  });
  const answers = new Map<Part, EncodedPartResult | PartFailure>();
  const count = parts.reduce((sum, { paths }) => sum + paths.length, 0);
  let done = 0;
  const onDone = ({ paths }: PartRequest): void => {
    done += paths.length;
    onProgress?.(`scanned ${done} of ${count} files`);
  };
  const scanBatch = async (
    batch: readonly Part[],
    most: number,
    memoryMb: number,
    elsewhere: boolean,
  ): Promise<void> => {
    const orders = batch.map(({ paths }): PartRequest => ({ paths, elsewhere, deadline }));
    const isFresh = memoryMb === heapMb.alone;
    const pool = { setting: { ...shared, tree: survey.tree }, workers: most, memoryMb, isFresh, timeoutMs };
    for (const [at, answer] of (await scanParts(orders, pool, onDone)).entries()) {
      const part = batch[at];
      if (part) answers.set(part, answer);
    }
  };
  for (const isStarted of [true, false]) {
    const some = parts.filter((part) => part.isStarted === isStarted);
    const elsewhere = [...answers.values()].some((answer) => !('failure' in answer) && answer.offers);
    await scanBatch(
      some.filter(({ cost }) => cost <= partBytes),
      Math.max(1, workers),
      heapMb.part,
      elsewhere,
    );
    await scanBatch(
      some.filter(({ cost }) => cost > partBytes),
      1,
      heapMb.alone,
      elsewhere,
    );
  }
  return toMergedReport(parts, answers, survey);
}

/** The report of a tree whose survey failed: every file is a gap. */
const failedTree = ({ files, skipped }: WalkedFiles, { failure }: PartFailure): MergedReport =>
  mergeParts([], {
    files: 0,
    bytes: 0,
    skipped,
    gaps: files.filter(isCode).map((file) => ({ file, reason: failure })),
  });

function toMergedReport(
  parts: readonly Part[],
  answers: ReadonlyMap<Part, EncodedPartResult | PartFailure>,
  survey: Survey,
): MergedReport {
  const scannedParts = parts.flatMap((part): ScannedPart[] => {
    const answer = answers.get(part);
    return answer && !('failure' in answer) ? [{ paths: part.paths, result: decodeResult(answer) }] : [];
  });
  const gaps = parts.flatMap((part): Gap[] => {
    const answer = answers.get(part);
    const failure = answer && 'failure' in answer ? answer.failure : part.isCut ? missingImports : undefined;
    return failure === undefined ? [] : part.paths.map((file) => ({ file, reason: failure }));
  });
  return mergeParts(scannedParts, { files: survey.files.length, bytes: survey.bytes, skipped: survey.skipped, gaps });
}

const missingImports = 'scanned without all of its imports: too many programs share them';
