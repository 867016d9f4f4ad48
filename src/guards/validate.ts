import type { Args, Call } from '../core/call.js';
import { withArgs } from '../core/derive-call.js';
import type { Guard } from '../core/guard.js';
import type { Outcome } from '../core/outcome.js';
import { failed, refuse } from '../core/outcome.js';
import type { Handler, Parsed, Problem } from '../core/tool.js';

/** Passes on the parsed copy of the arguments; rejects calls that violate the tool's contract. */
export const validate: Guard = (tool, next) => {
  if (tool.unavailable !== undefined) {
    const { unavailable } = tool;
    return () => Promise.resolve(failed(unavailable));
  }
  return (call) => {
    const parsed = tool.input.parse(call.args);
    return parsed instanceof Promise ? parsed.then((value) => proceed(value, call, next)) : proceed(parsed, call, next);
  };
};

function proceed(parsed: Parsed<Args>, call: Call, next: Handler): Promise<Outcome> {
  if (parsed.ok) {
    if (parsed.value === call.args && parsed.timeoutMs === undefined) return next(call);
    return next(withArgs(call, parsed.value, parsed.timeoutMs));
  }
  return Promise.resolve(
    'error' in parsed
      ? failed(parsed.error)
      : refuse('invalid_arguments', formatProblems(parsed.problems), {
          data: { problems: parsed.problems.map(toProblemJson) },
        }),
  );
}

const toProblemJson = ({ field, message, keyword, expected }: Problem) => ({ field, message, keyword, expected });

const formatProblems = (problems: readonly Problem[]): string =>
  problems
    .map(({ field, message }) => `${field === '' ? 'The arguments' : field.slice(1).replaceAll('/', '.')} ${message}`)
    .join('; ');
