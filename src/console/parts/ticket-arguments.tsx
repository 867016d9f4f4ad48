import { useState } from 'preact/hooks';
import { api, segment } from '../lib/api.js';
import type { ArgumentRow, TicketInfo } from '../lib/tickets.js';
import { Chip, Panel, ErrorNote } from './basics.js';
import { Text } from './text.js';

/** Arguments one by one, with their origin and what changed; the whole of them can always be opened. */
export function TicketArguments({ ticket }: { readonly ticket: TicketInfo }) {
  const [whole, setWhole] = useState<readonly ArgumentRow[]>();
  const [problem, setProblem] = useState<string>();
  const rows = whole ?? ticket.argument_rows ?? [];
  const open = async (): Promise<void> => {
    try {
      const found = await api<TicketInfo>(`/approvals/${segment(ticket.id)}?whole=true`);
      setWhole(found.argument_rows ?? []);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <Panel
      title="Arguments"
      aside={
        ticket.arguments_shortened &&
        whole === undefined && (
          <button type="button" onClick={() => void open()}>
            Show all of them
          </button>
        )
      }
    >
      {problem !== undefined && <ErrorNote error={{ message: problem }} />}
      {rows.length === 0 ? (
        <p class="unknown">The call has no arguments.</p>
      ) : (
        <table class="arguments">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Value</th>
              <th scope="col">Origin</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.name}>
                <th scope="row">
                  <code>
                    <Text>{row.name}</Text>
                  </code>
                </th>
                <td>
                  <code class="value">
                    <Text>{row.value}</Text>
                  </code>
                  {row.previous !== undefined && (
                    <div class="previous">
                      before:{' '}
                      <code>
                        <Text>{row.previous}</Text>
                      </code>
                    </div>
                  )}
                </td>
                <td>
                  <OriginMark row={row} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Panel>
  );
}

const OriginMark = ({ row: { origin, changed } }: { readonly row: ArgumentRow }) => (
  <span class="marks">
    {origin === null ? <Chip meaning="unknown">not recorded</Chip> : <Chip>{origin}</Chip>}
    {changed === true && (
      <Chip meaning="attention" icon="warning">
        changed
      </Chip>
    )}
  </span>
);
