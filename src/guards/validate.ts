import type { Args, Call } from '../core/call.js';
import { deriveCall } from '../core/derive-call.js';
import type { Guard } from '../core/guard.js';
import type { Failed } from '../core/outcome.js';
import { failed, refuse } from '../core/outcome.js';
import type { Parsed, Problem } from '../core/tool.js';
import { guardSpec } from './guard-spec.js';

/** Passes on the parsed copy of the arguments; rejects calls that violate the tool's contract. */
export const validate: Guard = (tool, next) => {
  if (tool.unavailable !== undefined) {
    const { unavailable } = tool;
    return () => Promise.resolve(failed(unavailable));
  }
  return (call) => {
    const parsed = tool.input.parse(call.args);
    return parsed.ok ? next(withParsed(call, parsed)) : Promise.resolve(toInvalid(parsed));
  };
};

/**
 * Resolves names and vets addresses right before the tool runs. The name is chosen by the caller, so its lookup is already an
 * exfiltration channel: it must stand behind authorization, limits and approval.
 */
export const vet: Guard = (tool, next) => {
  const { input } = tool;
  if (input.vet === undefined) return next;
  return async (call) => {
    const vetted = await input.vet?.(call.args, call.signal);
    if (vetted === undefined) return next(call);
    return vetted.ok ? next(withParsed(call, vetted)) : { ...toInvalid(vetted), notStarted: true };
  };
};

const withParsed = (call: Call, { value, timeoutMs }: Extract<Parsed<Args>, { ok: true }>): Call =>
  value === call.args && timeoutMs === undefined ? call : deriveCall(call, { args: value, timeoutMs });

const toInvalid = (parsed: Extract<Parsed<Args>, { ok: false }>): Failed =>
  'error' in parsed
    ? failed(parsed.error)
    : refuse('invalid_arguments', formatProblems(parsed.problems), {
        data: { problems: parsed.problems.map(toProblemJson) },
      });

const toProblemJson = ({ field, message, keyword, expected }: Problem) => ({ field, message, keyword, expected });

const formatProblems = (problems: readonly Problem[]): string =>
  problems
    .map(({ field, message }) => `${field === '' ? 'The arguments' : field.slice(1).replaceAll('/', '.')} ${message}`)
    .join('; ');

export const validateSpec = guardSpec({
  name: 'validate',
  does: 'parses arguments, without any lookup',
  answers: 'invalid_arguments',
  make: () => validate,
});

export const vetSpec = guardSpec({
  name: 'vet',
  does: 'resolves host names, checks and pins their addresses',
  answers: 'invalid_arguments',
  make: () => vet,
});
