import type { JsonObject } from '../../core/json.js';
import type { CleanLevel } from '../clean.js';
import type { CleanText } from './clean-text.js';

/** What a worker removes from texts; `secrets` undefined keeps secret formats too. */
export interface WorkerRules {
  readonly level: CleanLevel;
  readonly secrets: readonly string[] | undefined;
}

/** Request to the worker; its rules were sent before under `rulesId`. */
export type ExamineRequest =
  | { readonly kind: 'rules'; readonly rulesId: number; readonly rules: WorkerRules }
  | { readonly kind: 'clean'; readonly id: number; readonly rulesId: number; readonly text: string }
  | { readonly kind: 'injection'; readonly id: number; readonly text: string };

/** Answer of the worker; an unchanged text is not copied back. */
export type ExamineReply =
  | { readonly id: number; readonly kind: 'clean'; readonly changed: CleanText | undefined }
  | { readonly id: number; readonly kind: 'injection'; readonly evidence: JsonObject | undefined };
