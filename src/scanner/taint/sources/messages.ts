import type { Context } from '../interpreter/context.js';
import { taintsIn, type Fact } from '../facts/facts.js';
import { anyParam } from '../facts/param-names.js';
import { lastSegment } from '../facts/qualified-names.js';
import { isModelled } from '../models/models.js';
import type { CallSite } from '../models/sinks.js';

/** Parsed text that is no message: files, settings and answers of other servers. */
const otherTexts =
  /fetch|axios|got\b|requests|httpx|aiohttp|urlopen|open\(|readFile|subprocess|environ|process\.env|getenv|child_process/;

/** The message a read loop parses: `json.loads(line)`, `request.get_json()`; undefined for any other call. */
export function parsedMessage({ message }: Context, { name, args, receiver }: CallSite): Fact | undefined {
  if (!message) return undefined;
  const method = lastSegment(name);
  if (
    isModelled('request-body', method) &&
    args.length === 0 &&
    isModelled('request', receiver?.name ?? name.slice(0, -method.length - 1))
  )
    return message.fact;
  const [text] = args;
  if (!isModelled('parses-message', name) || !text || text.value?.kind === 'constant') return undefined;
  const isRaw = text.taints.some(({ origin, whole }) => whole && origin.param === anyParam);
  return isRaw || (taintsIn(text).length === 0 && !otherTexts.test(text.name ?? '')) ? message.fact : undefined;
}

/** The body of an HTTP request that carries a message: `req.body`, `request.json`. */
export const messageBody = (
  { message }: Context,
  owner: Fact,
  ownerName: string | undefined,
  property: string,
): Fact | undefined =>
  message &&
  /^(?:body|json)$/.test(property) &&
  owner.taints.length === 0 &&
  !owner.fields &&
  isModelled('request', owner.name ?? ownerName ?? '')
    ? message.fact
    : undefined;
