import { segment } from '../lib/api.js';
import { useHistory } from '../lib/history.js';
import { me } from '../lib/me.js';
import { useRemote } from '../lib/remote.js';
import { href } from '../lib/router.js';
import { pendingTickets, ticketsAt } from '../lib/tickets.js';
import { Chip, Empty, type Meaning, Origin, Panel, Time } from '../parts/basics.js';
import { HistoryPlots } from '../parts/history-plots.js';
import { Name, Text } from '../parts/text.js';

const minutes = 30;

/** What needs a person, and what happened in the last half hour. */
export function NowPage() {
  return (
    <>
      <h1>Now</h1>
      {me.value?.may.admin === true ? <AdminAttention /> : <Attention items={[]} origin="GET /approvals, events" />}
      {me.value?.may.admin === true && <RecentPlots />}
    </>
  );
}

function RecentPlots() {
  const { data, at, error } = useHistory(minutes);
  return (
    <Panel title={`Last ${minutes} minutes`} aside={<Origin of="GET /metrics/history" at={at} error={error} />}>
      {data && at !== undefined && <HistoryPlots history={data} minutes={minutes} at={at} />}
    </Panel>
  );
}

interface AttentionItem {
  readonly kind: string;
  readonly meaning: Meaning;
  readonly name: string;
  readonly detail: string;
  readonly path: string;
}

interface HealthInfo {
  readonly status: string;
  readonly checks?: Readonly<Record<string, { readonly status: string; readonly detail?: string }>>;
}

interface SourceState {
  readonly id: string;
  readonly status: string;
  readonly detail: string | null;
  readonly pending: number;
  readonly admission: string | null;
}

interface ToolState {
  readonly name: string;
  readonly circuit_breaker: string;
}

/** Everything that waits for an administrator: tickets, definitions, quarantined sources, breakers, health, configuration. */
function AdminAttention() {
  const health = useRemote<HealthInfo>('/health', { on: ['health', 'config'], everyMs: 15_000 });
  const sources = useRemote<{ readonly sources: readonly SourceState[] }>('/sources', {
    on: ['source', 'registry'],
    everyMs: 15_000,
  });
  const tools = useRemote<{ readonly tools: readonly ToolState[] }>('/tools', { on: ['breaker', 'registry'] });
  const items: readonly AttentionItem[] = [
    ...(sources.data?.sources ?? []).flatMap(sourceItems),
    ...(tools.data?.tools ?? [])
      .filter(({ circuit_breaker: state }) => state !== 'closed')
      .map(({ name, circuit_breaker: state }) => ({
        kind: 'breaker',
        meaning: 'bad' as const,
        name,
        detail: `its circuit breaker is ${state}`,
        path: `/tools/${segment(name)}`,
      })),
    ...Object.entries(health.data?.checks ?? {})
      // Sources and tools have their own entries above.
      .filter(([name, { status }]) => status !== 'healthy' && name !== 'sources' && !name.startsWith('tool'))
      .map(([name, { status, detail }]) => ({
        kind: name === 'configuration' || name === 'config' ? 'configuration' : 'health',
        meaning: status === 'unhealthy' ? ('bad' as const) : ('attention' as const),
        name,
        detail: detail ?? status,
        path: '/doctor',
      })),
  ];
  const errors = [health, sources, tools].find(({ error }) => error !== undefined)?.error;
  return (
    <Attention
      items={items}
      origin="GET /approvals, /sources, /tools, /health, events"
      {...(errors && { error: errors })}
      status={health.data?.status}
    />
  );
}

function sourceItems({ id, status, detail, pending, admission }: SourceState): readonly AttentionItem[] {
  const path = `/sources/${segment(id)}`;
  // A withheld source needs one decision; its other states only follow from it.
  if (admission === 'quarantine' || admission === 'deny')
    return [
      { kind: admission === 'deny' ? 'denied' : 'quarantined', meaning: 'bad', name: id, detail: detail ?? '', path },
    ];
  return [
    ...(pending > 0
      ? [
          {
            kind: 'definitions',
            meaning: 'attention' as const,
            name: id,
            detail: `${pending} ${pending === 1 ? 'definition is' : 'definitions are'} withheld until you decide`,
            path,
          },
        ]
      : []),
    ...(status === 'unhealthy'
      ? [{ kind: 'source', meaning: 'bad' as const, name: id, detail: detail ?? status, path }]
      : []),
  ];
}

const healthMeaning: Readonly<Record<string, Meaning>> = { healthy: 'good', degraded: 'attention', unhealthy: 'bad' };

const Attention = ({
  items,
  origin,
  error,
  status,
}: {
  readonly items: readonly AttentionItem[];
  readonly origin: string;
  readonly error?: Parameters<typeof Origin>[0]['error'];
  readonly status?: string | undefined;
}) => (
  <Panel title="Needs a person" aside={<Origin of={origin} at={ticketsAt.value} error={error} />}>
    {pendingTickets.value.length === 0 && items.length === 0 && (
      <Empty title={error ? 'Unknown: some of it could not be read.' : 'Nothing waits for you.'}>
        <p>Calls that need approval, changed definitions, quarantined sources and failing checks appear here.</p>
      </Empty>
    )}
    <ul class="plain attention-list">
      {pendingTickets.value.map(({ id, tool, principal, asked_at: asked }) => (
        <li key={id}>
          <Chip meaning="attention" icon="clock">
            approval
          </Chip>
          <a href={href(`/approvals/${segment(id)}`)}>
            <Name>{tool}</Name> by <Name>{principal}</Name>
          </a>{' '}
          <span class="note">
            <Time at={asked} />
          </span>
        </li>
      ))}
      {items.map(({ kind, meaning, name, detail, path }) => (
        <li key={`${kind} ${name}`}>
          <Chip meaning={meaning} icon="warning">
            {kind}
          </Chip>
          <a href={href(path)}>
            <Name>{name}</Name>
          </a>{' '}
          <span class="note">
            <Text>{detail}</Text>
          </span>
        </li>
      ))}
    </ul>
    {status !== undefined && (
      <p class="note health-line">
        Health: <Chip meaning={healthMeaning[status] ?? 'unknown'}>{status}</Chip>
      </p>
    )}
  </Panel>
);
