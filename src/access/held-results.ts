import { randomUUID } from 'node:crypto';
import type { Json, JsonObject } from '../core/json.js';
import type { Done, Failed, Outcome } from '../core/outcome.js';
import { failed, refuse } from '../core/outcome.js';
import type { Holder } from '../guards/sanitize.js';
import { withheld } from '../guards/sanitize.js';
import type { Seals } from './seals.js';
import { bindingOf } from './seals.js';

export interface HeldOptions {
  /** Seals of its own kind, so that no other consent releases a result. */
  readonly seals: () => Promise<Seals>;
  readonly prefix: string;
  readonly answerMs: () => number;
  readonly now?: () => number;
}

interface Held {
  readonly outcome: Done | Failed;
  readonly until: number;
}

const mostHeld = 100;
const asked = 'toolgate_release';

/** Results kept back in memory until somebody has agreed to see them; they do not outlive a restart, and then the answer is no. */
export function heldResults({ seals, prefix, answerMs, now = Date.now }: HeldOptions): Holder {
  const held = new Map<string, Held>();
  const sweep = (): void => {
    for (const [id, { until }] of held) if (until <= now() || held.size > mostHeld) held.delete(id);
  };

  const released = async (
    call: Parameters<Holder['release']>[0],
    tool: Parameters<Holder['release']>[1],
  ): Promise<Outcome> => {
    const { answers, state } = call.confirmation ?? { answers: {}, state: '' };
    const opened = (await seals()).open(state, bindingOf(call, tool));
    const kept = opened.ok ? held.get(opened.inner ?? '') : undefined;
    if (!opened.ok)
      return refuse(
        'invalid_confirmation',
        'The answer does not belong to this call, was used before, or is too late',
        { data: { why: opened.why } },
      );
    if (kept === undefined || kept.until <= now())
      return refuse(
        'invalid_confirmation',
        'The result that was held back is no longer kept: it was released, too much time passed, or the gateway was restarted',
        { hint: 'The tool ran; call it again only if it may run twice', data: { why: 'expired' } },
      );
    held.delete(opened.inner ?? '');
    const answer = Object.hasOwn(answers, asked) ? answers[asked] : undefined;
    if (answer?.['action'] === 'accept' && isYes(answer['content'])) return kept.outcome;
    return failed(withheld({ released: false }), kept.outcome.meta && { meta: kept.outcome.meta });
  };

  return {
    async hold(call, tool, outcome, why) {
      const id = randomUUID();
      const until = now() + answerMs();
      held.set(id, { outcome, until });
      sweep();
      const message = [
        `The result of ${call.tool} (source ${tool.source}) gives instructions to the model. Let it pass?`,
        `Found: ${JSON.stringify(why).slice(0, 1_500)}`,
      ].join('\n');
      return {
        asks: { [asked]: { method: 'elicitation/create', params: { mode: 'form', message, requestedSchema } } },
        state: (await seals()).seal({ kind: 'ask', inner: id }, bindingOf(call, tool), until),
        otherwise: withheld(why),
      };
    },
    release: (call, tool) => (call.confirmation?.state.startsWith(prefix) === true ? released(call, tool) : undefined),
  };
}

const requestedSchema: JsonObject = {
  type: 'object',
  properties: {
    approve: {
      type: 'boolean',
      title: 'Let the result pass',
      description: 'It is passed on with a warning',
      default: false,
    },
  },
  required: ['approve'],
};

const isYes = (content: Json | undefined): boolean =>
  typeof content === 'object' &&
  content !== null &&
  !Array.isArray(content) &&
  'approve' in content &&
  content['approve'] === true;
