import { useState } from 'preact/hooks';
import { api, segment } from '../lib/api.js';
import { useRemote } from '../lib/remote.js';
import { Chip, ErrorNote, Origin, Panel, Time } from './basics.js';
import { Name, Text } from './text.js';

interface Pins {
  readonly pinned: readonly {
    readonly item: string;
    readonly hash: string;
    readonly at: string;
    readonly by: string;
  }[];
  readonly pending: readonly {
    readonly item: string;
    readonly why: string;
    readonly since: string;
    readonly seen: string;
    readonly rejected: { readonly at: string; readonly by: string } | null;
    readonly differences: readonly {
      readonly path: string;
      readonly before: string | null;
      readonly after: string | null;
    }[];
  }[];
}

/** Pinned definitions and the pending ones, field by field. */
export function SourcePins({ id }: { readonly id: string }) {
  const [problem, setProblem] = useState<string>();
  const { data, at, error, refresh } = useRemote<Pins>(`/sources/${segment(id)}/pins`, { on: ['source', 'registry'] });
  const decide = async (verb: 'approve' | 'reject', item: string, seen: string): Promise<void> => {
    setProblem(undefined);
    // `seen` is the hash of what was shown: a definition that changed meanwhile is not approved by mistake (TOCTOU).
    await api(`/sources/${segment(id)}/pins/${verb}`, { body: { items: [item], seen } }).catch((failure: unknown) =>
      setProblem(failure instanceof Error ? failure.message : String(failure)),
    );
    refresh();
  };
  return (
    <Panel title="Definitions" aside={<Origin of={`GET /sources/${id}/pins`} at={at} error={error} />}>
      {problem !== undefined && <ErrorNote error={{ message: problem }} />}
      {data && (
        <p>
          {data.pinned.length} pinned, {data.pending.length} {data.pending.length === 1 ? 'waits' : 'wait'} for
          approval.
        </p>
      )}
      {data?.pending.map(({ item, why, since, seen, rejected, differences }) => (
        <section class="pending-pin" aria-label={item}>
          <div class="row">
            <Name>{item}</Name> <Text>{why}</Text> <Time at={since} />
            {rejected !== null && (
              <Chip meaning="bad" icon="cross">
                {`rejected by ${rejected.by}`}
              </Chip>
            )}
            <button
              type="button"
              class="primary"
              aria-label={`Approve ${item}`}
              onClick={() => void decide('approve', item, seen)}
            >
              Approve
            </button>
            {rejected === null && (
              <button
                type="button"
                class="bad"
                aria-label={`Reject ${item}`}
                onClick={() => void decide('reject', item, seen)}
              >
                Reject
              </button>
            )}
          </div>
          <table class="diff">
            <tbody>
              {differences.map(({ path, before, after }) => (
                <tr>
                  <th scope="row">
                    <code>
                      <Text>{path}</Text>
                    </code>
                  </th>
                  <td class="removed">
                    {before !== null && (
                      <>
                        − <Text multiline>{before}</Text>
                      </>
                    )}
                  </td>
                  <td class="added">
                    {after !== null && (
                      <>
                        + <Text multiline>{after}</Text>
                      </>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      ))}
    </Panel>
  );
}
