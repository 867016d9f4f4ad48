import type { Json, JsonObject } from '../../core/json.js';
import type { Outcome } from '../../core/outcome.js';
import { failed, refuse } from '../../core/outcome.js';
import type { WithheldResults } from '../../guards/sanitize.js';
import { withheldError } from '../../guards/sanitize.js';
import { heldResults, type HeldResults } from './held-results.js';
import type { Seals } from './seals.js';
import { bindingOf } from './seals.js';

/** What withheld results are kept with. */
interface ResultApprovalOptions {
  /** Seals with a separate prefix, so that approval of a call cannot release a result. */
  readonly seals: () => Promise<Seals>;
  readonly prefix: string;
  readonly answerMs: () => number;
  /** Where the results wait; survives reloads if it is given. */
  readonly held?: HeldResults | undefined;
  readonly now?: () => number;
}

/** Name of the form; differs from that of call approvals, so that one answer cannot serve the other. */
const releaseQuestion = 'toolgate_release';

/** Withholds suspicious results until the user approves their release. */
export function resultApproval({
  seals,
  prefix,
  answerMs,
  now = Date.now,
  held = heldResults({ now }),
}: ResultApprovalOptions): WithheldResults {
  const releaseResult = async (
    call: Parameters<WithheldResults['release']>[0],
    tool: Parameters<WithheldResults['release']>[1],
  ): Promise<Outcome> => {
    const { answers, state } = call.confirmation ?? { answers: {}, state: '' };
    const opened = await (await seals()).open(state, bindingOf(call, tool));
    if (!opened.ok)
      return refuse('invalid_confirmation', 'The approval is for another call, was already used, or has expired', {
        decision: { why: opened.why },
      });
    // The seal holds the id, so that only the caller of this very call can name the result; taken before the answer is read: one
    // form, one release.
    const outcome = await held.take(opened.inner ?? '');
    if (outcome === undefined)
      return refuse(
        'invalid_confirmation',
        'The withheld result is no longer available: it was already released, it has expired, or the gateway restarted',
        { hint: 'The tool ran; call it again only if it may run twice', decision: { why: 'expired' } },
      );
    const answer = Object.hasOwn(answers, releaseQuestion) ? answers[releaseQuestion] : undefined;
    if (answer?.['action'] === 'accept' && isReleaseApproved(answer['content'])) return outcome;
    const { meta, injection } = outcome;
    return failed(withheldError({ released: false }), { ...(meta && { meta }), ...(injection && { injection }) });
  };

  return {
    async add(call, tool, outcome, why) {
      const until = now() + answerMs();
      const id = held.add(outcome, until);
      const message = [
        `The result of ${call.tool} (source ${tool.source}) contains instructions to the model. Release it?`,
        // Cut: the evidence quotes the suspicious text, which may be large.
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
      // Another prefix belongs to another mechanism; undefined lets the next one try.
      call.confirmation?.state.startsWith(prefix) === true ? releaseResult(call, tool) : undefined,
  };
}

/** Form with one checkbox that is off by default. */
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

/** Only an explicit `approve: true` counts. */
const isReleaseApproved = (content: Json | undefined): boolean =>
  typeof content === 'object' &&
  content !== null &&
  !Array.isArray(content) &&
  'approve' in content &&
  content['approve'] === true;
