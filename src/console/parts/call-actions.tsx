import { useEffect, useState } from 'preact/hooks';
import { api, segment } from '../lib/api.js';
import type { CallInfo } from '../lib/calls.js';
import { me } from '../lib/me.js';
import { useRemote } from '../lib/remote.js';
import type { Schema } from '../lib/schema-form.js';
import { Chip, ErrorNote, Panel } from './basics.js';
import { decisionMeaning, Explanation, type ExplainInfo } from './explanation.js';
import { Text } from './text.js';
import { TryIt } from './try-it.js';

/** What can be done with a recorded call: explain it by the rules of now, verify its record, run it again. */
export function CallActions({ call }: { readonly call: CallInfo }) {
  const isAdmin = me.value?.may.admin === true;
  return (
    <>
      <ExplainNow call={call} isAdmin={isAdmin} />
      {isAdmin && <VerifyRecord id={call.call} />}
      <Replay call={call} />
    </>
  );
}

/** The decision then beside the decision that the active rules would make. */
function ExplainNow({ call, isAdmin }: { readonly call: CallInfo; readonly isAdmin: boolean }) {
  const [info, setInfo] = useState<ExplainInfo>();
  const [problem, setProblem] = useState<string>();
  // The audit may keep no arguments; without them conditions on arguments cannot be evaluated.
  const args = typeof call.args === 'object' && call.args !== null ? call.args : undefined;
  useEffect(() => {
    const doors = ['stdio', 'http', 'rest', 'console', 'cli'];
    api<ExplainInfo>('/explain', {
      body: {
        tool: call.tool,
        args: args ?? {},
        // Only administrators may evaluate as another principal: the answer reveals what that principal may do.
        ...(isAdmin && { as: call.principal }),
        // Doors unknown to this version would be rejected as invalid, and the explanation would fail as a whole.
        ...(doors.includes(call.via) && { door: call.via }),
      },
    })
      .then(setInfo)
      .catch((error: unknown) => setProblem(error instanceof Error ? error.message : String(error)));
  }, [call.call]);
  return (
    <Panel title="Decided then, explained now">
      <div class="columns">
        <div>
          <h3>Then</h3>
          <p>
            <Chip meaning={decisionMeaning[call.decision] ?? 'unknown'}>{call.code ?? call.decision}</Chip>
          </p>
          <p>
            <Text>{call.message ?? ''}</Text>
          </p>
        </div>
        <div>
          <h3>Now</h3>
          {args === undefined && (
            <p class="note">The audit did not keep the arguments, so this is explained without them.</p>
          )}
          {problem !== undefined ? (
            <p class="unknown">
              <Text>{problem}</Text>
            </p>
          ) : (
            info && <Explanation info={info} />
          )}
        </div>
      </div>
    </Panel>
  );
}

interface Verified {
  readonly journal: number;
  readonly seq: number;
  readonly intact: boolean;
  /** `valid` is null where the previous record is archived, so that its hash cannot be recomputed. */
  readonly records: readonly { readonly seq: number; readonly hash: string; readonly valid: boolean | null }[];
}

/** Recomputes the hashes around the record of this call. */
function VerifyRecord({ id }: { readonly id: string }) {
  const [found, setFound] = useState<Verified>();
  const [problem, setProblem] = useState<string>();
  const verify = (): void => {
    api<Verified>(`/calls/${segment(id)}/verify`)
      .then((result) => {
        setFound(result);
        setProblem(undefined);
      })
      .catch((error: unknown) => setProblem(error instanceof Error ? error.message : String(error)));
  };
  return (
    <Panel
      title="Verification"
      aside={
        <button type="button" onClick={verify}>
          Verify around this record
        </button>
      }
    >
      {problem !== undefined && <ErrorNote error={{ message: problem }} />}
      {found === undefined ? (
        <p class="unknown">Not verified yet; the page Audit verifies the whole journal.</p>
      ) : (
        <div role="status">
          <p>
            <Chip meaning={found.intact ? 'good' : 'bad'} icon={found.intact ? 'check' : 'cross'}>
              {found.intact ? 'intact' : 'not intact'}
            </Chip>{' '}
            {found.records.length} records around it in journal {found.journal}
          </p>
          <ol class="plain hashes">
            {found.records.map(({ seq, hash, valid }) => (
              <li class={seq === found.seq ? 'marked' : ''}>
                <span class="number">{seq}</span> <code>{hash}</code>{' '}
                {valid === null ? 'previous record archived' : valid ? 'matches' : 'does not match'}
              </li>
            ))}
          </ol>
        </div>
      )}
    </Panel>
  );
}

/** Runs the call again, with the arguments that the audit kept, through every guard and as the present user. */
function Replay({ call }: { readonly call: CallInfo }) {
  const [isOpen, setOpen] = useState(false);
  const { data, error } = useRemote<{ readonly input_schema: Schema }>(
    // The schema is loaded on demand: most visits only read the record.
    isOpen ? `/tools/${segment(call.tool)}` : undefined,
  );
  if (!isOpen)
    return (
      <Panel
        title="Replay"
        aside={
          <button type="button" onClick={() => setOpen(true)}>
            Replay…
          </button>
        }
      >
        <p class="note">
          {call.args === undefined
            ? 'The audit did not keep the arguments; they have to be given again.'
            : 'Uses the arguments as the audit kept them: redacted values stay redacted.'}
        </p>
      </Panel>
    );
  if (error) return <ErrorNote error={error} />;
  return data ? (
    <TryIt name={call.tool} schema={data.input_schema} {...(call.args !== undefined && { first: call.args })} />
  ) : null;
}
