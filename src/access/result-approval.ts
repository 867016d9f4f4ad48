import { randomUUID } from 'node:crypto';
import type { Json, JsonObject } from '../core/json.js';
import type { Done, Failed, Outcome } from '../core/outcome.js';
import { failed, refuse } from '../core/outcome.js';
import type { WithheldResults } from '../guards/sanitize.js';
import { withheldError } from '../guards/sanitize.js';
import type { Seals } from './seals.js';
import { bindingOf } from './seals.js';

export interface ResultApprovalOptions {
  /** Seals with a separate prefix, so that approval of a call cannot release a result. */
  readonly seals: () => Promise<Seals>;
  readonly prefix: string;
  readonly answerMs: () => number;
  readonly now?: () => number;
}

interface PendingResult {
  readonly outcome: Done | Failed;
  readonly until: number;
}

const maxPendingResults = 100;
const releaseQuestion = 'toolgate_release';

/** Withholds suspicious results in memory until the user approves their release; a restart discards them, which counts as a denial. */
export function resultApproval({ seals, prefix, answerMs, now = Date.now }: ResultApprovalOptions): WithheldResults {
  const held = new Map<string, PendingResult>();
  const sweep = (): void => {
    for (const [id, { until }] of held) if (until <= now() || held.size > maxPendingResults) held.delete(id);
  };

  const releaseResult = async (
    call: Parameters<WithheldResults['release']>[0],
    tool: Parameters<WithheldResults['release']>[1],
  ): Promise<Outcome> => {
    const { answers, state } = call.confirmation ?? { answers: {}, state: '' };
    const opened = (await seals()).open(state, bindingOf(call, tool));
    const kept = opened.ok ? held.get(opened.inner ?? '') : undefined;
    if (!opened.ok)
      return refuse('invalid_confirmation', 'The approval is for another call, was already used, or has expired', {
        data: { why: opened.why },
      });
    if (kept === undefined || kept.until <= now())
      return refuse(
        'invalid_confirmation',
        'The withheld result is no longer available: it was already released, it has expired, or the gateway restarted',
        { hint: 'The tool ran; call it again only if it may run twice', data: { why: 'expired' } },
      );
    held.delete(opened.inner ?? '');
    const answer = Object.hasOwn(answers, releaseQuestion) ? answers[releaseQuestion] : undefined;
    if (answer?.['action'] === 'accept' && isReleaseApproved(answer['content'])) return kept.outcome;
    return failed(withheldError({ released: false }), kept.outcome.meta && { meta: kept.outcome.meta });
  };

  return {
    async add(call, tool, outcome, why) {
      const id = randomUUID();
      const until = now() + answerMs();
      held.set(id, { outcome, until });
      sweep();
      const message = [
        `The result of ${call.tool} (source ${tool.source}) contains instructions to the model. Release it?`,
        `Found: ${JSON.stringify(why).slice(0, 1_500)}`,
      ].join('\n');
      return {
        asks: {
          [releaseQuestion]: { method: 'elicitation/create', params: { mode: 'form', message, requestedSchema } },
        },
        state: (await seals()).seal({ kind: 'ask', inner: id }, bindingOf(call, tool), until),
        otherwise: withheldError(why),
      };
    },
    release: (call, tool) =>
      call.confirmation?.state.startsWith(prefix) === true ? releaseResult(call, tool) : undefined,
  };
}

const requestedSchema: JsonObject = {
  type: 'object',
  properties: {
    approve: {
      type: 'boolean',
      title: 'Release the result',
      description: 'It is returned with a warning',
      default: false,
    },
  },
  required: ['approve'],
};

const isReleaseApproved = (content: Json | undefined): boolean =>
  typeof content === 'object' &&
  content !== null &&
  !Array.isArray(content) &&
  'approve' in content &&
  content['approve'] === true;
