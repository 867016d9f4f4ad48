import type { Confirmation } from '../../core/call.js';
import type { Answer } from '../../core/gateway.js';
import type { JsonObject } from '../../core/json.js';
import type { Ask, Question } from '../../core/outcome.js';
import { failed, refuse } from '../../core/outcome.js';
import { codes, rpcError } from '../../wire/codes.js';
import type { RpcError } from '../../wire/codes.js';
import { isObject } from '../../wire/message.js';
import type { Features } from '../../wire/versions.js';
import { canAsk, requiredFor } from './capabilities.js';
import type { Caller } from './caller.js';
import type { Settled } from './encode.js';

const maxRounds = 8;
const maxState = 65_536;
const maxAnswers = 32;
/** A person may take their time. */
const answerTimeoutMs = 600_000;

/** Runs the call once more, with the answers to its last question where there are any. */
export type Attempt = (confirmation?: Confirmation) => Promise<Answer>;

/** Reads the answers a modern client sends with its second try, or says what is wrong with them. */
export function confirmationOf(params: JsonObject): Confirmation | RpcError | undefined {
  const { inputResponses, requestState } = params;
  if (inputResponses === undefined && requestState === undefined) return undefined;
  const state = requestState ?? '';
  if (typeof state !== 'string' || state.length > maxState)
    return rpcError(codes.invalidParams, 'requestState must be the string that was given');
  const answers = answersOf(inputResponses ?? {});
  return answers ? { answers, state } : rpcError(codes.invalidParams, 'inputResponses must be an object of objects');
}

/** Answers by name, or undefined where they are not that. */
export function answersOf(value: unknown): Confirmation['answers'] | undefined {
  if (!isObject(value)) return undefined;
  const entries = Object.entries(value);
  if (entries.length > maxAnswers || !entries.every(([, answer]) => isObject(answer))) return undefined;
  // Every value was just checked to be an object.
  return value as Confirmation['answers'];
}

const unaskable = (question: Question, capabilities: JsonObject, features: Features): readonly Ask[] =>
  Object.values(question.asks).filter((ask) => !canAsk(ask, capabilities, features));

/** The outcome for a client that cannot be asked; where nothing else helps, with what it would have had to declare. */
export function cannotAsk(answer: Answer, question: Question, asks: readonly Ask[]): Settled {
  const { otherwise } = question;
  if (otherwise.code !== 'capability_missing') return { ...answer, outcome: failed(otherwise) };
  const requiredCapabilities = Object.assign({}, ...asks.map(requiredFor)) as JsonObject; // merged from objects only
  return { ...answer, outcome: failed({ ...otherwise, data: { requiredCapabilities } }) };
}

const toParams = (ask: Ask, features: Features): JsonObject => {
  if (features.urlElicitation || ask.method !== 'elicitation/create') return ask.params;
  const { mode: _, ...params } = ask.params;
  return params;
};

async function askOne(ask: Ask, { ask: send, features, signal }: Caller): Promise<JsonObject | undefined> {
  const reply = await send?.(ask.method, toParams(ask, features), { timeoutMs: answerTimeoutMs, signal });
  if (reply && 'result' in reply) return reply.result;
  // Silence and errors never count as consent.
  return ask.method === 'elicitation/create' ? { action: 'cancel' } : undefined;
}

/** Puts every question to a legacy client at once; undefined where one could not be answered. */
export async function askAll(asks: Question['asks'], caller: Caller): Promise<Confirmation['answers'] | undefined> {
  const answered = await Promise.all(
    Object.entries(asks).map(async ([key, ask]) => [key, await askOne(ask, caller)] as const),
  );
  if (answered.some(([, answer]) => answer === undefined)) return undefined;
  // None is undefined, as just checked.
  return Object.fromEntries(answered) as Confirmation['answers'];
}

/** An answer the client can be given now: settled, or with a question that this modern client may be asked. */
export type Ready = Settled | { readonly question: Question };

/** Carries a call through its questions: a modern client is handed them, a legacy one is asked until the call is settled. */
export async function throughQuestions(first: Answer, again: Attempt, caller: Caller): Promise<Ready> {
  let answer = first;
  for (let round = 0; answer.outcome.kind === 'confirm'; round += 1) {
    const { question } = answer.outcome;
    const missing = unaskable(question, caller.capabilities, caller.features);
    if (missing.length > 0 || (!caller.features.modern && !caller.ask)) return cannotAsk(answer, question, missing);
    if (caller.features.modern) return { question };
    if (round === maxRounds)
      return { ...answer, outcome: refuse('confirmation_required', 'The call asked too many questions') };
    const answers = await askAll(question.asks, caller);
    if (!answers)
      return { ...answer, outcome: refuse('upstream_error', 'The client could not answer what the tool asked') };
    answer = await again({ answers, state: question.state });
  }
  return { ...answer, outcome: answer.outcome };
}
