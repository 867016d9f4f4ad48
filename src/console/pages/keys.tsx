import { useState } from 'preact/hooks';
import { api, segment } from '../lib/api.js';
import { useRemote } from '../lib/remote.js';
import { ErrorNote, Origin, Panel, Time } from '../parts/basics.js';
import { Name } from '../parts/text.js';

interface KeysInfo {
  readonly keys: readonly {
    readonly name: string;
    readonly principal: string;
    readonly roles: readonly string[];
    readonly created: string;
    readonly expires: string | null;
    readonly last_call: string | null;
  }[];
  readonly sessions: readonly {
    readonly id: string;
    readonly principal: string;
    readonly used: string;
    readonly expires: string;
  }[];
}

/** Keys of callers and console sessions; a new key is shown once. */
export function KeysPage() {
  const { data, at, error, refresh } = useRemote<KeysInfo>('/keys', { everyMs: 15_000 });
  const [name, setName] = useState('');
  const [role, setRole] = useState('user');
  const [made, setMade] = useState<{ readonly name: string; readonly key: string }>();
  const [problem, setProblem] = useState<string>();
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
      setProblem(undefined);
    } catch (failure) {
      setProblem(failure instanceof Error ? failure.message : String(failure));
    }
    refresh();
  };
  const revoke = (id: string): Promise<void> =>
    attempt(async () => {
      await api(`/keys/${segment(id)}`, { method: 'DELETE' });
    });
  return (
    <>
      <h1>Keys</h1>
      <Origin of="GET /keys" at={at} error={error} />
      {problem !== undefined && <ErrorNote error={{ message: problem }} />}
      {made && (
        <div class="made" role="status">
          <p>
            Key <Name>{made.name}</Name>, shown only now:
          </p>
          <pre class="command">{made.key}</pre>
        </div>
      )}
      <Panel title="New key">
        <form
          class="row"
          onSubmit={(event) => {
            event.preventDefault();
            void attempt(async () => {
              setMade(await api('/keys', { body: { name, roles: [role] } }));
              setName('');
            });
          }}
        >
          <label>
            Name <input type="text" value={name} onInput={(event) => setName(event.currentTarget.value)} />
          </label>
          <label>
            Role{' '}
            <select value={role} onChange={(event) => setRole(event.currentTarget.value)}>
              <option>user</option>
              <option>approver</option>
              <option>admin</option>
            </select>
          </label>
          <button type="submit" class="primary" disabled={name === ''}>
            Create
          </button>
        </form>
      </Panel>
      <Panel title="Keys">
        <table class="rows">
          <thead>
            <tr>
              <th scope="col">Key</th>
              <th scope="col">Roles</th>
              <th scope="col">Created</th>
              <th scope="col">Expires</th>
              <th scope="col">Last call</th>
              <th scope="col">Actions</th>
            </tr>
          </thead>
          <tbody>
            {data?.keys.map((key) => (
              <tr key={key.name}>
                <th scope="row">
                  <Name>{key.principal}</Name>
                </th>
                <td>{key.roles.join(', ')}</td>
                <td>
                  <Time at={key.created} />
                </td>
                <td>{key.expires === null ? 'never' : <Time at={key.expires} />}</td>
                <td>
                  {key.last_call === null ? (
                    <span class="unknown">none since the start</span>
                  ) : (
                    <Time at={key.last_call} />
                  )}
                </td>
                <td>
                  <button
                    type="button"
                    class="bad"
                    aria-label={`Revoke ${key.name}`}
                    onClick={() => void revoke(key.name)}
                  >
                    Revoke
                  </button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Panel>
      <Panel title="Console sessions">
        <ul class="plain">
          {data?.sessions.map(({ id, principal, used }) => (
            <li key={id} class="row">
              <code>{id}</code> <Name>{principal}</Name> used <Time at={used} />
              <button type="button" aria-label={`End session ${id}`} onClick={() => void revoke(id)}>
                End
              </button>
            </li>
          ))}
        </ul>
      </Panel>
    </>
  );
}
