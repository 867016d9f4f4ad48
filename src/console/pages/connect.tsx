import { segment } from '../lib/api.js';
import { useRemote } from '../lib/remote.js';
import { href } from '../lib/router.js';
import { Chip, Empty, ErrorNote, Origin, Panel, Time } from '../parts/basics.js';
import { CopyButton } from '../parts/copy-button.js';
import { Name, Text } from '../parts/text.js';
import type { PageParams } from './index.js';

interface ClientInfo {
  readonly id: string;
  readonly title: string;
  readonly note: string | null;
  readonly last_call: string | null;
}

interface ClientList {
  readonly clients: readonly ClientInfo[];
  readonly seen: readonly {
    readonly client: string;
    readonly assistant: string | null;
    readonly calls: number;
    readonly last_call: string;
  }[];
}

interface EntryInfo extends ClientInfo {
  readonly command: string;
  readonly format: string;
  readonly stdio: string | null;
  readonly http: string | null;
}

/** Assistants, the entry each needs, and when it last called. */
export function ConnectPage({ id }: PageParams) {
  const { data, at, error } = useRemote<ClientList>('/connect', { on: ['call'], everyMs: 5_000 });
  return (
    <>
      <h1>Connect</h1>
      <Origin of="GET /connect" at={at} error={error} />
      {error && data === undefined && <ErrorNote error={error} />}
      <div class={`two-columns${id === undefined ? '' : ' has-choice'}`}>
        <div class="list-column">
          <ul class="plain choices">
            {data?.clients.map((client) => (
              <li key={client.id}>
                <a href={href(`/connect/${segment(client.id)}`)} aria-current={client.id === id ? 'true' : undefined}>
                  <span>{client.title}</span>
                  <span class="note">{client.last_call === null ? '' : <Time at={client.last_call} />}</span>
                </a>
              </li>
            ))}
          </ul>
        </div>
        <div>
          {id === undefined ? (
            <Empty title="Choose an assistant.">
              <p>
                Its entry for this gateway appears here; <code>toolgate connect --all --write</code> writes the entries
                of all that are installed.
              </p>
            </Empty>
          ) : (
            <ClientEntry id={id} lastCall={data?.clients.find((client) => client.id === id)?.last_call} />
          )}
          <Seen seen={data?.seen} />
        </div>
      </div>
    </>
  );
}

function ClientEntry({ id, lastCall }: { readonly id: string; readonly lastCall: string | null | undefined }) {
  const { data, error } = useRemote<EntryInfo>(`/connect/${segment(id)}`);
  if (data === undefined) return error ? <ErrorNote error={error} /> : null;
  return (
    <>
      <Panel
        title={data.title}
        aside={
          lastCall ? (
            <Chip meaning="good" icon="check">
              called
            </Chip>
          ) : (
            <Chip meaning="unknown">no call seen since the start</Chip>
          )
        }
      >
        <p role="status">
          {lastCall ? (
            <>
              Last call from it <Time at={lastCall} />.
            </>
          ) : (
            'A call of this assistant appears here as soon as it arrives.'
          )}
        </p>
        <p>
          <code>{data.command}</code> <CopyButton text={data.command} />
        </p>
        {data.note !== null && <p class="note">{data.note}</p>}
      </Panel>
      <Entry title="On this machine, over stdio" text={data.stdio} />
      <Entry
        title="Over HTTP"
        text={data.http}
        note="The assistant reads the token from TOOLGATE_TOKEN; make one on the page Keys."
      />
    </>
  );
}

const Entry = ({
  title,
  text,
  note,
}: {
  readonly title: string;
  readonly text: string | null;
  readonly note?: string;
}) => (
  <Panel title={title} aside={text !== null && <CopyButton text={text} label="Copy the entry" />}>
    {text === null ? (
      <p class="unknown">This assistant does not support it.</p>
    ) : (
      <>
        {note !== undefined && <p class="note">{note}</p>}
        <pre>
          <Text multiline>{text}</Text>
        </pre>
      </>
    )}
  </Panel>
);

/** Client programs by the names they declare; a name is a claim. */
const Seen = ({ seen }: { readonly seen: ClientList['seen'] | undefined }) => (
  <Panel title="Clients seen since the start">
    {seen === undefined || seen.length === 0 ? (
      <p class="unknown">No MCP client has called a tool yet.</p>
    ) : (
      <table class="rows">
        <thead>
          <tr>
            <th scope="col">Declared name</th>
            <th scope="col" class="number">
              Calls
            </th>
            <th scope="col">Last call</th>
          </tr>
        </thead>
        <tbody>
          {seen.map(({ client, calls, last_call: last }) => (
            <tr key={client}>
              <th scope="row">
                <Name>{client}</Name>
              </th>
              <td class="number">{calls}</td>
              <td>
                <Time at={last} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    )}
  </Panel>
);
