import type { Args, GuardedCall } from '../core/call.js';
import { refuse, type Outcome } from '../core/outcome.js';
import type { ToolProjection } from '../core/prompt.js';
import type { Subscribe } from '../core/subscription.js';
import { sha256 } from '../lib/hash.js';

/** Subscriptions to resources that are forms of tools: a service cannot push, so that the gateway reads and compares. */
export interface ResourcePolls {
  /** The subscription to a resource that names an interval; undefined for one that does not. */
  subscribeTo(read: ToolProjection): Subscribe | undefined;
}

/** Calls the tool of a resource for the subscriber, through the guards. */
type Poll = (subscriber: GuardedCall, tool: string, args: Args, signal: AbortSignal) => Promise<Outcome>;

/** More polls would turn subscriptions into load on the services (denial of service). */
const maxPolls = 200;
const maxPollsOfPrincipal = 50;

/**
 * Every poll is a call of the tool by the subscriber: it passes the rules, limits and breakers of that caller, and is audited. The first one
 * opens the subscription; a later one that is refused ends it.
 */
export function resourcePolls(poll: Poll): ResourcePolls {
  const counts = new Map<string, number>();
  let total = 0;
  const count = (principal: string, change: 1 | -1): void => {
    total += change;
    const left = (counts.get(principal) ?? 0) + change;
    if (left === 0) counts.delete(principal);
    else counts.set(principal, left);
  };
  const fullReason = (principal: string): string | undefined => {
    if ((counts.get(principal) ?? 0) >= maxPollsOfPrincipal)
      return `At most ${maxPollsOfPrincipal} resources of this kind can be watched by one caller`;
    return total >= maxPolls ? `The gateway already watches ${maxPolls} resources of this kind` : undefined;
  };

  return {
    subscribeTo(read) {
      const { pollMs } = read;
      if (pollMs === undefined) return undefined;
      return async (call, changed) => {
        const { id } = call.principal;
        const uri = String(call.args['uri']);
        const args = read.toArgs(uri) ?? {};
        const full = fullReason(id);
        if (full !== undefined) return refuse('busy', full);
        count(id, 1);
        const ended = new AbortController();
        const first = await poll(call, read.tool, args, call.signal).catch((error: unknown) => {
          count(id, -1);
          throw error;
        });
        if (first.kind !== 'done') {
          count(id, -1);
          return first.kind === 'failed' ? first : refuse('confirmation_required', needsApproval);
        }
        const digestOf = (outcome: typeof first): string => sha256(JSON.stringify(read.toContents(uri, outcome)));
        let last = digestOf(first);
        let timer: NodeJS.Timeout;

        const compare = async (): Promise<void> => {
          const outcome = await poll(call, read.tool, args, ended.signal).catch(() => undefined);
          if (ended.signal.aborted) return;
          if (outcome?.kind === 'done') {
            const digest = digestOf(outcome);
            const isChanged = last !== digest;
            last = digest;
            if (isChanged) changed();
          } else if (outcome !== undefined && isFinal(outcome)) {
            // The client reads again and gets the reason.
            changed();
            return;
          }
          if (!ended.signal.aborted) schedule();
        };
        const schedule = (): void => void (timer = setTimeout(() => void compare(), pollMs).unref());
        schedule();
        return () => {
          if (ended.signal.aborted) return;
          ended.abort();
          clearTimeout(timer);
          count(id, -1);
        };
      };
    },
  };
}

const needsApproval = 'A subscription reads the resource repeatedly, and each time would need approval';

/** Outcomes that another poll would repeat; all others say nothing about the resource, and the next poll may succeed. */
const finalCodes: ReadonlySet<string> = new Set([
  'policy_denied',
  'forbidden',
  'not_found',
  'confirmation_required',
  'declined',
  'invalid_arguments',
  'shutting_down',
]);
const isFinal = (outcome: Outcome): boolean =>
  outcome.kind === 'confirm' || (outcome.kind === 'failed' && finalCodes.has(outcome.error.code));
