import { describeSystemError } from '../../lib/system-error.js';
import { GatewayError, type RunningGateway } from '../running-gateway.js';
import { toPrintable, type Ticket } from './ticket-text.js';

/** A request that is sent to every gateway of the home. */
interface Query {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** About a single ticket, which one of the gateways has. */
  readonly isOne: boolean;
  readonly body?: unknown;
}

/** The answer of the gateways, with the one that gave it; or why there is none. */
type TypedAnswer = { readonly body: Ticket; readonly from?: string } | { readonly problem: string };

/** Queries every gateway: lists are merged, and a single ticket comes from the gateway that has it. */
export async function queryGateways(gateways: readonly RunningGateway[], query: Query): Promise<TypedAnswer> {
  const problems: string[] = [];
  const tickets: unknown[] = [];
  const answered: string[] = [];
  let refusal: string | undefined;
  for (const gateway of gateways) {
    try {
      const { status, body } = await gateway.request(query.method, query.path, query.body);
      const content: Ticket = typeof body === 'object' && body !== null ? (body as Ticket) : {};
      // Ticket ids are unique, so the first gateway that has the ticket is the only one.
      if (status === 200 && query.isOne) return { body: content, from: gateway.name };
      if (status === 200) {
        answered.push(gateway.name);
        if (Array.isArray(content['approvals'])) tickets.push(...content['approvals']);
      } else {
        refusal = toPrintable(content['error'] ?? `the gateway returned HTTP status ${status}`);
        // 404 only means that another gateway may have the ticket; any other refusal is the answer.
        if (query.isOne && status !== 404) return { problem: refusal };
      }
    } catch (error) {
      // A stale socket of a crashed gateway fails here and must not hide the answers of the others.
      problems.push(`${gateway.url}: ${describeRequestError(error)}`);
    }
  }
  if (answered.length > 0) return { body: { approvals: tickets }, from: answered.join(', ') };
  return {
    problem: refusal ?? `no gateway can be reached (${problems.join('; ')}); set another one with --url`,
  };
}

const describeRequestError = (error: unknown): string =>
  error instanceof GatewayError
    ? error.message
    : describeSystemError(error instanceof Error ? (error.cause ?? error) : error, 'the request failed');
