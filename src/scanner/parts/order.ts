import type { ProjectLimits } from '../project/load.js';
import type { Walked } from '../project/walk.js';
import type { Tree } from '../project/tree.js';
import type { ScanReport } from '../report.js';
import type { MarkedTool } from './shadows.js';

/** A tree to be looked at before it is cut. */
export interface SurveyOrder {
  readonly walked: Walked;
  readonly limits: ProjectLimits;
}

/** What all parts of one tree share; handed to a worker once. */
export interface PartSetting {
  readonly tree: Tree;
  readonly limits: ProjectLimits;
  readonly heuristics: boolean;
  /** Only these rules, by id. */
  readonly rules?: readonly string[] | undefined;
  /** Only what is offered, not what is wrong with it. */
  readonly surfaceOnly: boolean;
}

/** One part to be read. */
export interface PartOrder {
  readonly paths: readonly string[];
  /** Whether another part was seen to register something: what nothing starts here is not offered then. */
  readonly elsewhere: boolean;
  /** When reading must end, as a time. */
  readonly deadline: number;
}

/** What was read of one part, as bytes of JSON: thousands of tools as objects would be a burden while other parts are read. */
export interface PackedAnswer {
  /** Whether the part was seen to register something. */
  readonly offers: boolean;
  readonly json: Uint8Array;
}

/** What was read of one part. */
export type PartAnswer = Pick<ScanReport, 'findings' | 'gaps' | 'surface' | 'capabilities'> & {
  /** The tools that are compared with those of other parts. */
  readonly told: readonly MarkedTool[];
};

/** Makes an answer ready to be handed to another thread. */
export function packed(answer: PartAnswer): PackedAnswer {
  const { tools, optionalTools, resources, prompts } = answer.surface;
  const sure = tools.filter(({ confidence }) => confidence !== 'heuristic');
  const offers = sure.length + optionalTools.length + resources.length + prompts.length > 0;
  return { offers, json: new TextEncoder().encode(JSON.stringify(answer)) };
}

/** The answer again; it was packed by our own side. */
export const unpacked = ({ json }: PackedAnswer): PartAnswer =>
  JSON.parse(new TextDecoder().decode(json)) as PartAnswer;
