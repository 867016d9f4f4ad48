import { useRef, useState } from 'preact/hooks';
import { api, segment } from '../lib/api.js';
import { clock, countdown } from '../lib/format.js';
import { useKeys } from '../lib/keys.js';
import { me } from '../lib/me.js';
import { href } from '../lib/router.js';
import { decideTicket, type TicketInfo } from '../lib/tickets.js';
import { Chip, Fact, Facts, Key, Panel, ErrorNote, Time } from './basics.js';
import { Explanation, type ExplainInfo } from './explanation.js';
import { Icon } from './icons.js';
import { Name, Text } from './text.js';
import { TicketArguments } from './ticket-arguments.js';

/** Everything a person needs to decide one call, and the two decisions. */
export function TicketDetail({ ticket, isGone }: { readonly ticket: TicketInfo; readonly isGone: boolean }) {
  const [problem, setProblem] = useState<string>();
  const [isDenying, setDenying] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [explained, setExplained] = useState<ExplainInfo>();
  const left = Date.parse(ticket.expires_at) - clock.value;
  // The clock of this machine may be wrong; the gateway checks the expiry again.
  const isOpen = ticket.status === 'pending' && left > 0 && !isGone;
  const isOwn = me.value?.id === ticket.principal;
  const decide = async (approve: boolean, reason?: string): Promise<void> => {
    // A double click or a repeated key must not send a second decision.
    if (!isOpen || isBusy) return;
    setBusy(true);
    setProblem(await decideTicket(ticket.id, approve, reason));
    setBusy(false);
    setDenying(false);
  };
  const explain = async (): Promise<void> => {
    try {
      const args: unknown = JSON.parse(ticket.arguments);
      setExplained(
        await api<ExplainInfo>('/explain', {
          body: { tool: ticket.tool, args, as: ticket.principal, ...(ticket.door && { door: ticket.door }) },
        }),
      );
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  useKeys(
    isOpen
      ? [
          { keys: 'a', does: 'Approve this call once', run: () => void decide(true) },
          { keys: 'd', does: 'Deny, with a reason', run: () => setDenying(true) },
          { keys: 'e', does: 'Explain the decision now', run: () => void explain() },
        ]
      : [],
    // Bound again with each ticket: a stale closure would decide the previous one.
    [ticket, isOpen, isBusy],
  );
  return (
    <article class="ticket" aria-label={`Ticket ${ticket.id}`}>
      <header class="ticket-head">
        <h2>
          <a href={href(`/tools/${segment(ticket.tool)}`)}>
            <Name>{ticket.tool}</Name>
          </a>
        </h2>
        <TicketStatus ticket={ticket} left={left} isGone={isGone} />
      </header>
      {isOpen && (
        <div class="decision">
          <button type="button" class="primary good" disabled={isBusy || isOwn} onClick={() => void decide(true)}>
            <Icon name="check" /> Approve once <Key>a</Key>
          </button>
          <button type="button" class="bad" disabled={isBusy} onClick={() => setDenying(true)}>
            <Icon name="cross" /> Deny… <Key>d</Key>
          </button>
          <button type="button" onClick={() => void explain()}>
            Explain <Key>e</Key>
          </button>
        </div>
      )}
      {isOwn && isOpen && <p class="note">You cannot approve your own call; another operator can.</p>}
      {problem !== undefined && <ErrorNote error={{ message: problem }} />}
      {isDenying && isOpen && (
        <DenyForm onDeny={(reason) => void decide(false, reason)} onCancel={() => setDenying(false)} />
      )}
      {explained && (
        <Panel title="Explained now">
          <Explanation info={explained} />
        </Panel>
      )}
      <TicketArguments ticket={ticket} />
      <TicketFacts ticket={ticket} />
    </article>
  );
}

function TicketStatus({
  ticket,
  left,
  isGone,
}: {
  readonly ticket: TicketInfo;
  readonly left: number;
  readonly isGone: boolean;
}) {
  if (ticket.status === 'pending')
    return left > 0 && !isGone ? (
      <span class={left < 60_000 ? 'countdown soon' : 'countdown'}>
        <Icon name="clock" /> {countdown(left)} left
      </span>
    ) : (
      <Chip meaning="unknown" icon="question">
        no longer open
      </Chip>
    );
  return (
    <span>
      <Chip
        meaning={ticket.status === 'approved' ? 'good' : 'bad'}
        icon={ticket.status === 'approved' ? 'check' : 'cross'}
      >
        {ticket.status}
      </Chip>{' '}
      by <Name>{ticket.decided_by ?? 'unknown'}</Name> <Time at={ticket.decided_at} />
    </span>
  );
}

function DenyForm({ onDeny, onCancel }: { readonly onDeny: (reason: string) => void; readonly onCancel: () => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <form
      class="deny"
      onSubmit={(event) => {
        event.preventDefault();
        onDeny(input.current?.value ?? '');
      }}
    >
      <label for="deny-reason">Reason, shown to the caller (optional)</label>
      <div class="row">
        <input
          id="deny-reason"
          ref={input}
          type="text"
          maxLength={500}
          autofocus
          onKeyDown={(event) => event.key === 'Escape' && onCancel()}
        />
        <button type="submit" class="bad">
          Deny
        </button>
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  );
}

function TicketFacts({ ticket }: { readonly ticket: TicketInfo }) {
  const { labels = [], effects = [], seen_labels: seen, last_approved: last } = ticket;
  return (
    <Panel title="Circumstances">
      <Facts>
        <Fact name="Caller">
          <Name>{ticket.principal}</Name>
        </Fact>
        <Fact name="Source">
          <Name>{ticket.source === '' ? 'gateway' : ticket.source}</Name>
        </Fact>
        <Fact name="Door">{ticket.door ?? <span class="unknown">not recorded</span>}</Fact>
        <Fact name="Conversation">
          {ticket.session ? <Name>{ticket.session}</Name> : <span class="unknown">none named by the caller</span>}
        </Fact>
        <Fact name="Rule">
          {ticket.rules.map((rule) => (
            <a href={href(`/policy?rule=${segment(rule)}`)}>
              <Name>{rule}</Name>
            </a>
          ))}{' '}
          <Text>{ticket.reason}</Text>
        </Fact>
        <Fact name="Effects">
          {effects.map((effect) => (
            <Chip meaning={effect === 'destroys' ? 'bad' : effect === 'reads' ? 'plain' : 'attention'}>
              {effect.replace('_', ' ')}
            </Chip>
          ))}{' '}
          <Text>{ticket.risk}</Text>
        </Fact>
        <Fact name="Labels">
          {labels.length === 0 ? <span class="unknown">none</span> : labels.map((label) => <Chip>{label}</Chip>)}
        </Fact>
        <Fact name="Conversation has touched">
          {seen === null ? (
            <span class="unknown">more labels than are recorded</span>
          ) : seen === undefined || seen.length === 0 ? (
            <span class="unknown">no label that a rule reads</span>
          ) : (
            seen.map((label) => <Chip meaning="attention">{label}</Chip>)
          )}
        </Fact>
        <Fact name="Last approved">
          {last ? (
            <>
              <Time at={last.at} /> by <Name>{last.by}</Name>
            </>
          ) : (
            <span class="unknown">no approved call of this caller and tool is recorded</span>
          )}
        </Fact>
        <Fact name="Definition">
          {ticket.definition ? (
            <code title={ticket.definition}>{ticket.definition.slice(0, 12)}</code>
          ) : (
            <span class="unknown">not recorded</span>
          )}{' '}
          {ticket.definition_changed === true && (
            <Chip meaning="attention" icon="warning">
              changed since the last approved call
            </Chip>
          )}
          {ticket.definition_changed === false && 'same as at the last approved call'}
        </Fact>
        <Fact name="Ticket">
          <code>{ticket.id}</code>, asked <Time at={ticket.asked_at} />
        </Fact>
        {ticket.deny_reason && (
          <Fact name="Denied because">
            <Text>{ticket.deny_reason}</Text>
          </Fact>
        )}
      </Facts>
      {ticket.recent_calls !== undefined && <RecentCalls calls={ticket.recent_calls} />}
    </Panel>
  );
}

const RecentCalls = ({ calls }: { readonly calls: NonNullable<TicketInfo['recent_calls']> }) => (
  <>
    <h3>Last calls of this caller</h3>
    {calls.length === 0 ? (
      <p class="unknown">None since the gateway started.</p>
    ) : (
      <ul class="plain">
        {calls.map(({ call, at, tool, decision, code }) => (
          <li>
            <a href={href(`/calls/${segment(call)}`)}>
              <Name>{tool}</Name>
            </a>{' '}
            <Chip meaning={decision === 'allowed' ? 'good' : decision === 'asked' ? 'attention' : 'bad'}>
              {code ?? decision}
            </Chip>{' '}
            <Time at={at} />
          </li>
        ))}
      </ul>
    )}
  </>
);
