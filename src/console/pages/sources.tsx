import { useState } from 'preact/hooks';
import { api, segment } from '../lib/api.js';
import { useRemote } from '../lib/remote.js';
import { href } from '../lib/router.js';
import { Chip, Empty, ErrorNote, Fact, Facts, type Meaning, Origin, Panel } from '../parts/basics.js';
import { SourcePins } from '../parts/source-pins.js';
import { SourceRuntime, type SourceRuntimeInfo } from '../parts/source-runtime.js';
import { SourceScreening } from '../parts/source-screening.js';
import { Name, Text } from '../parts/text.js';
import type { PageParams } from './index.js';

interface SourceInfo {
  readonly id: string;
  readonly kind: string;
  readonly status: string;
  readonly detail: string | null;
  readonly sandbox: string | null;
  readonly tools: number;
  readonly withheld: number;
  readonly pending: number;
  readonly admission: string | null;
  readonly phase?: string | null;
  readonly runtime?: SourceRuntimeInfo | null;
  readonly tool_names?: readonly string[];
  readonly withheld_items?: readonly { readonly what: string; readonly why: string }[];
}

const statusMeaning: Readonly<Record<string, Meaning>> = { healthy: 'good', degraded: 'attention', unhealthy: 'bad' };

/** Sources of tools, and the detail of one. */
export function SourcesPage({ id }: PageParams) {
  const { data, at, error } = useRemote<{ readonly sources: readonly SourceInfo[] }>('/sources', {
    on: ['source', 'registry'],
    everyMs: 10_000,
  });
  if (id !== undefined) return <SourceDetail id={id} />;
  return (
    <>
      <h1>Sources</h1>
      <Origin of="GET /sources" at={at} error={error} />
      {data?.sources.length === 0 && (
        <Empty title="No sources.">
          <p>
            <code>toolgate sources add</code> adds one; nothing over the network can.
          </p>
        </Empty>
      )}
      <div class="scroll-x panel">
        <table class="rows">
          <thead>
            <tr>
              <th scope="col">Source</th>
              <th scope="col">Kind</th>
              <th scope="col">State</th>
              <th scope="col">Admission</th>
              <th scope="col" class="number">
                Tools
              </th>
              <th scope="col" class="number">
                Withheld
              </th>
            </tr>
          </thead>
          <tbody>
            {data?.sources.map((source) => (
              <tr key={source.id}>
                <th scope="row">
                  <a href={href(`/sources/${segment(source.id)}`)}>
                    <Name>{source.id}</Name>
                  </a>
                </th>
                <td>{source.kind}</td>
                <td>
                  <Chip meaning={statusMeaning[source.status] ?? 'unknown'}>{source.status}</Chip>{' '}
                  <Text>{source.detail ?? ''}</Text>
                </td>
                <td>
                  {source.admission ?? <span class="unknown">not scanned</span>}
                  {source.pending > 0 && <Chip meaning="attention">{`${source.pending} to decide`}</Chip>}
                </td>
                <td class="number">{source.tools}</td>
                <td class="number">{source.withheld}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function SourceDetail({ id }: { readonly id: string }) {
  const [problem, setProblem] = useState<string>();
  const { data, at, error, refresh } = useRemote<SourceInfo>(`/sources/${segment(id)}`, {
    on: ['source', 'registry'],
    everyMs: 10_000,
  });
  const act = async (verb: 'refresh' | 'restart'): Promise<void> => {
    setProblem(undefined);
    await api(`/sources/${segment(id)}/${verb}`, { method: 'POST' }).catch((failure: unknown) =>
      setProblem(failure instanceof Error ? failure.message : String(failure)),
    );
    refresh();
  };
  return (
    <>
      <h1>
        Source <Name>{id}</Name>
      </h1>
      <Origin of={`GET /sources/${id}`} at={at} error={error} />
      {problem !== undefined && <ErrorNote error={{ message: problem }} />}
      {data && (
        <Panel
          title="State"
          aside={
            <div class="row">
              <button type="button" onClick={() => void act('refresh')}>
                Refresh
              </button>
              {data.runtime?.can_restart === true && (
                <button type="button" onClick={() => void act('restart')}>
                  Restart
                </button>
              )}
            </div>
          }
        >
          <Facts>
            <Fact name="State">
              <Chip meaning={statusMeaning[data.status] ?? 'unknown'}>{data.status}</Chip>{' '}
              <Text>{data.detail ?? ''}</Text>
            </Fact>
            <Fact name="Kind">{data.kind}</Fact>
            <Fact name="Sandbox">{data.sandbox ?? <span class="unknown">not reported</span>}</Fact>
            <Fact name="Tools">
              {data.tool_names?.length === 0 && <span class="unknown">none</span>}
              {data.tool_names?.map((name) => (
                <a href={href(`/tools/${segment(name)}`)}>
                  <Chip>{name}</Chip>
                </a>
              ))}
            </Fact>
            <Fact name="Withheld">
              {data.withheld_items?.length === 0 && <span class="unknown">nothing</span>}
              <ul class="plain">
                {data.withheld_items?.map(({ what, why }) => (
                  <li>
                    <Name>{what}</Name> <Text>{why}</Text>
                  </li>
                ))}
              </ul>
            </Fact>
          </Facts>
        </Panel>
      )}
      {data?.runtime && <SourceRuntime runtime={data.runtime} />}
      <SourcePins id={id} />
      <SourceScreening id={id} />
    </>
  );
}
