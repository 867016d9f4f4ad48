import type { Door } from '../../core/call.js';
import type { Principal } from '../../core/principal.js';
import type { AuditRecord } from '../../guards/audit.js';
import type { Clock } from '../../lib/clock.js';
import { uuid7 } from '../../lib/hash.js';
import { tokenBucket } from '../../lib/token-bucket.js';
import type { AuditLog } from './audit-log.js';
import type { Log } from '../log/log.js';

/** A refused credential, as a door reports it. */
interface RefusedCredential {
  readonly peer: string;
  readonly method: string;
  readonly route: string;
  readonly reason: string;
  readonly principal?: string;
}

/** A message of an authenticated caller that could not be decoded, so it never became a call. */
interface UnreadableMessage {
  readonly principal: Principal;
  readonly via: Door;
  readonly peer?: string;
  /** Tool of a REST call; unknown if the message itself would have named it. */
  readonly tool?: string;
  readonly message: string;
}

/** A request that the edge refused: by Host, Origin, address rate, media type or size. */
interface RefusedRequest {
  readonly peer: string;
  readonly status: number;
  readonly reason: string;
}

/** Records what the doors refuse before a call exists. */
export interface EdgeRecords {
  credential(refused: RefusedCredential): void;
  unreadable(message: UnreadableMessage): void;
  /** A request that was refused before its route; logged only, within the same rates. */
  request(refused: RefusedRequest): void;
}

/** Refused credentials that are recorded per minute: of one address and of all. A flood without a credential must not fill the disk. */
const perPeer = 6;
const perGateway = 60;

/** Writes log lines and audit records; what exceeds the rate is counted and reported with the next record. */
export function edgeRecords(journal: AuditLog, log: Log, clock?: Clock): EdgeRecords {
  // Bounded keys: a flood from many addresses must not grow the table.
  const peers = tokenBucket({ maxKeys: 1_000, ...(clock && { clock }) });
  const all = tokenBucket({ maxKeys: 1, ...(clock && { clock }) });
  let suppressed = 0;

  // Records without a call: the fields of arguments and definition are empty.
  const append = (
    record: Pick<AuditRecord, 'principal' | 'via' | 'peer' | 'tool' | 'code' | 'message' | 'detail'>,
    target: string,
  ): void => {
    const id = uuid7();
    journal
      .append({
        event: 'refused',
        at: new Date().toISOString(),
        call: id,
        correlationId: id,
        definition: '',
        argsDigest: '',
        decision: 'refused',
        ...record,
      })
      .catch(() => log.event('audit.lost', { action: 'refused', target }));
  };

  return {
    credential({ peer, method, route, reason, principal }) {
      // Per address first, so that one noisy client does not use up the share of all.
      if (!peers.take(peer, perPeer).ok || !all.take('', perGateway).ok) {
        suppressed += 1;
        return;
      }
      const more = suppressed > 0 ? { suppressed } : {};
      suppressed = 0;
      log.event('auth.refused', {
        method,
        route,
        reason,
        peer,
        ...more,
        ...(principal !== undefined && { principal }),
      });
      append(
        {
          principal: principal ?? 'anonymous',
          via: 'http',
          peer,
          tool: `${method} ${route}`,
          code: reason === 'admin_required' ? 'admin_required' : 'unauthorized',
          detail: { action: 'authenticate', reason, ...more },
        },
        route,
      );
    },
    request({ peer, status, reason }) {
      // The same budget as credentials: both are caused by unauthenticated peers.
      if (!peers.take(peer, perPeer).ok || !all.take('', perGateway).ok) {
        suppressed += 1;
        return;
      }
      log.event('http.refused', { status, reason, peer, ...(suppressed > 0 && { suppressed }) });
      suppressed = 0;
    },
    unreadable({ principal, via, peer, tool = '', message }) {
      append(
        {
          principal: principal.id,
          via,
          peer,
          tool,
          code: 'invalid_arguments',
          message,
          detail: { action: 'decode' },
        },
        tool,
      );
    },
  };
}
