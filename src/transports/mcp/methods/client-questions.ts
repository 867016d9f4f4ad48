import type { Confirmation } from '../../../core/call.js';
import type { Answer } from '../../../core/gateway.js';
import type { JsonObject } from '../../../core/json.js';
import type { Ask, Question } from '../../../core/outcome.js';
import { failed, refuse } from '../../../core/outcome.js';
import { rpcCodes, rpcError } from '../../../wire/codes.js';
import type { RpcError } from '../../../wire/codes.js';
import { isJsonObject } from '../../../wire/message.js';
import type { Features } from '../../../wire/versions.js';
import { canAsk, requiredCapabilities } from '../capabilities.js';
import type { RequestContext } from '../request-context.js';
import type { FinalAnswer } from './encode-result.js';

/** Rounds of questions per call, against tools that ask forever. */
const maxRounds = 8;
const maxState = 65_536;
const maxAnswers = 32;
/** Long, because a person answers. */
const answerTimeoutMs = 600_000;

/** Runs the call, with the answers to its last question if there are any. */
export type InvokeCall = (confirmation?: Confirmation) => Promise<Answer>;

/** Reads the answers that a modern client sends when it repeats a call. */
export function readConfirmation(params: JsonObject): Confirmation | RpcError | undefined {
  const { inputResponses, requestState } = params;
  if (inputResponses === undefined && requestState === undefined) return undefined;
  const state = requestState ?? '';
  if (typeof state !== 'string' || state.length > maxState)
    return rpcError(rpcCodes.invalidParams, 'params.requestState must be the string from the earlier result');
  const answers = readAnswers(inputResponses ?? {});
  return answers ? { answers, state } : rpcError(rpcCodes.invalidParams, 'inputResponses must be an object of objects');
}

/** Validates answers by name; undefined if malformed. */
export function readAnswers(value: unknown): Confirmation['answers'] | undefined {
  if (!isJsonObject(value)) return undefined;
  const entries = Object.entries(value);
  if (entries.length > maxAnswers || !entries.every(([, answer]) => isJsonObject(answer))) return undefined;
  // Every value was just checked to be an object.
  return value as Confirmation['answers'];
}

/** Questions that the client did not declare support for. */
const unsupportedAsks = (question: Question, capabilities: JsonObject, features: Features): readonly Ask[] =>
  Object.values(question.asks).filter((ask) => !canAsk(ask, capabilities, features));

/** Outcome for a client that cannot answer; for `capability_missing` it lists the capabilities to declare. */
function refuseUnsupported(answer: Answer, question: Question, asks: readonly Ask[]): FinalAnswer {
  const { otherwise } = question;
  if (otherwise.code !== 'capability_missing') return { ...answer, outcome: failed(otherwise) };
  const required = Object.assign({}, ...asks.map(requiredCapabilities)) as JsonObject; // merged from objects only
  return { ...answer, outcome: failed({ ...otherwise, data: { requiredCapabilities: required } }) };
}

/** Removes `mode`, which revisions before 2025-11-25 reject. */
const toParams = (ask: Ask, features: Features): JsonObject => {
  if (features.urlElicitation || ask.method !== 'elicitation/create') return ask.params;
  const { mode: _, ...params } = ask.params;
  return params;
};

/** Asks a legacy client one question. */
async function askOne(ask: Ask, { ask: send, features, signal }: RequestContext): Promise<JsonObject | undefined> {
  const reply = await send?.(ask.method, toParams(ask, features), { timeoutMs: answerTimeoutMs, signal });
  if (reply && 'result' in reply) return reply.result;
  // Fail closed: timeouts and errors never count as approval.
  return ask.method === 'elicitation/create' ? { action: 'cancel' } : undefined;
}

/** Sends all questions to a legacy client in parallel; undefined if one could not be answered. */
export async function askAll(
  asks: Question['asks'],
  context: RequestContext,
): Promise<Confirmation['answers'] | undefined> {
  const answers = await Promise.all(
    Object.entries(asks).map(async ([key, ask]) => [key, await askOne(ask, context)] as const),
  );
  if (answers.some(([, answer]) => answer === undefined)) return undefined;
  // Checked above: no answer is undefined.
  return Object.fromEntries(answers) as Confirmation['answers'];
}

/** A final answer, or a question for a modern client. */
type FinalOrQuestion = FinalAnswer | { readonly question: Question };

/** Resolves the questions of a call: modern clients get them in the result, legacy clients are asked until the call is final. */
export async function resolveQuestions(
  first: Answer,
  invoke: InvokeCall,
  context: RequestContext,
): Promise<FinalOrQuestion> {
  let answer = first;
  for (let round = 0; answer.outcome.kind === 'confirm'; round += 1) {
    const { question } = answer.outcome;
    const missing = unsupportedAsks(question, context.capabilities, context.features);
    if (missing.length > 0 || (!context.features.modern && !context.ask))
      return refuseUnsupported(answer, question, missing);
    if (context.features.modern) return { question };
    if (round === maxRounds)
      return { ...answer, outcome: refuse('confirmation_required', 'The call asked too many questions') };
    const answers = await askAll(question.asks, context);
    if (!answers)
      return { ...answer, outcome: refuse('upstream_error', 'The client could not answer the question of the tool') };
    answer = await invoke({ answers, state: question.state });
  }
  return { ...answer, outcome: answer.outcome };
}
