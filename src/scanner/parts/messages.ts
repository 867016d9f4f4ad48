import type { ProjectLimits } from '../project/load.js';
import type { WalkedFiles } from '../project/walk.js';
import type { Tree } from '../project/tree.js';
import type { ScanReport } from '../report.js';
import type { MarkedTool } from './cross-part-shadowing.js';

/** Request to survey a tree before it is partitioned. */
export interface SurveyRequest {
  readonly walked: WalkedFiles;
  readonly limits: ProjectLimits;
}

/** Settings shared by all parts of a tree; sent to a worker once. */
export interface PartSettings {
  readonly tree: Tree;
  readonly limits: ProjectLimits;
  readonly heuristics: boolean;
  /** Ids of the rules to run; all by default. */
  readonly rules?: readonly string[] | undefined;
  /** Compute the surface only, without findings. */
  readonly surfaceOnly: boolean;
}

/** Request to scan one part. */
export interface PartRequest {
  readonly paths: readonly string[];
  /** Whether another part registers something; then code that nothing starts is not part of the surface. */
  readonly elsewhere: boolean;
  /** The time at which the scan must end, in epoch milliseconds. */
  readonly deadline: number;
}

/** The result of one part as JSON bytes, since thousands of tool objects would fill the heap while other parts are scanned. */
export interface EncodedPartResult {
  /** Whether the part registers something. */
  readonly offers: boolean;
  readonly json: Uint8Array;
}

/** The result of one part. */
export type PartResult = Pick<ScanReport, 'findings' | 'gaps' | 'surface' | 'capabilities' | 'coverage'> & {
  /** Tools to compare with those of other parts. */
  readonly comparableTools: readonly MarkedTool[];
};

/** Encodes a result for transfer to another thread. */
export function encodeResult(answer: PartResult): EncodedPartResult {
  const { tools, optionalTools, resources, prompts } = answer.surface;
  const sure = tools.filter(({ confidence }) => confidence !== 'heuristic');
  const offers = sure.length + optionalTools.length + resources.length + prompts.length > 0;
  return { offers, json: new TextEncoder().encode(JSON.stringify(answer)) };
}

/** Decodes a result; trusted input, encoded by `encodeResult`. */
export const decodeResult = ({ json }: EncodedPartResult): PartResult =>
  JSON.parse(new TextDecoder().decode(json)) as PartResult;
