import type { Call } from '../core/call.js';
import type { ToolError } from '../core/errors.js';
import type { Guard } from '../core/guard.js';
import type { Confirm, Outcome, Question } from '../core/outcome.js';
import { failed } from '../core/outcome.js';
import type { Tool } from '../core/tool.js';
import { guardSpec } from './guard-spec.js';

/** Why a call needs approval, and by whom. */
export interface ApprovalRequirement {
  /** Rules that require it. */
  readonly rules: readonly string[];
  readonly reason: string;
  /** The client's user, or an operator other than the caller. */
  readonly by: 'caller' | 'operator';
}

/** Decides which calls need approval. */
export interface ApprovalPolicy {
  requirement(call: Call, tool: Tool): ApprovalRequirement | undefined;
}

/** State of the approval of one call. */
export type ApprovalCheck =
  /** Given and consumed; `call` continues, with the answers that belong to the tool. */
  | { readonly kind: 'given'; readonly call: Call }
  | { readonly kind: 'ask'; readonly question: Question }
  | { readonly kind: 'refused'; readonly error: ToolError };

/** Approvals, each bound to the exact call, short-lived and single-use (replay). */
export interface CallApprovals {
  check(call: Call, tool: Tool, required: ApprovalRequirement): Promise<ApprovalCheck>;
  /** Wraps a question of the tool itself, so that its answer carries the approval. */
  attach(question: Question, call: Call, tool: Tool): Promise<Question>;
  /** The call without answers to our own questions, which the tool must not see. */
  withoutOwnAnswers(call: Call): Call;
}

/** Rejects calls that lack a required approval; fails closed on silence and errors. */
export function confirm({
  policy,
  approvals,
}: {
  readonly policy: ApprovalPolicy;
  readonly approvals: CallApprovals;
}): Guard {
  return (tool, next) => {
    const withApproval = async (call: Call, required: ApprovalRequirement): Promise<Outcome> => {
      const state = await approvals.check(call, tool, required);
      if (state.kind === 'refused') return failed(state.error);
      if (state.kind === 'ask') return { kind: 'confirm', question: state.question };
      const outcome = await next(state.call);
      if (outcome.kind !== 'confirm') return outcome;
      return { kind: 'confirm', question: await approvals.attach(outcome.question, call, tool) } satisfies Confirm;
    };
    return (call) => {
      const required = policy.requirement(call, tool);
      return required === undefined ? next(approvals.withoutOwnAnswers(call)) : withApproval(call, required);
    };
  };
}

/** Parts of the approval guard: who must be asked, and how. */
export interface ConfirmParts {
  readonly approvalPolicy?: ApprovalPolicy;
  readonly approvals?: CallApprovals;
}

export const confirmSpec = guardSpec({
  name: 'confirm',
  does: 'waits for approval by the user or an operator',
  answers: 'confirmation_required, declined',
  make: ({ approvalPolicy: policy, approvals }: ConfirmParts) => policy && approvals && confirm({ policy, approvals }),
});
