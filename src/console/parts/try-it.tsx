import { useMemo, useState } from 'preact/hooks';
import { api, send, segment } from '../lib/api.js';
import { initialValue, toForm, type Schema } from '../lib/schema-form.js';
import { Chip, ErrorNote, Panel } from './basics.js';
import { Explanation, type ExplainInfo } from './explanation.js';
import { SchemaForm } from './schema-form.js';
import { Text } from './text.js';

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** A form generated from the input schema; the same arguments can be written as JSON. */
export function TryIt({
  name,
  schema,
  first,
}: {
  readonly name: string;
  readonly schema: Schema;
  readonly first?: unknown;
}) {
  // Memoised: the form is rebuilt only for another schema, since a large one takes milliseconds.
  const form = useMemo(() => toForm(schema), [schema]);
  const [args, setArgs] = useState<unknown>(() => first ?? initialValue(form, true) ?? {});
  /** Text of the JSON editor; undefined while the form is shown. */
  const [draft, setDraft] = useState<string>();
  const [answer, setAnswer] = useState<Answer>();
  const [explained, setExplained] = useState<ExplainInfo>();
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const attempt = async (work: (body: unknown) => Promise<void>): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    try {
      // The draft is parsed when the call runs, so that invalid JSON is reported instead of sent.
      await work(draft === undefined ? args : JSON.parse(draft));
    } catch (failure) {
      setProblem(failure instanceof Error ? failure.message : String(failure));
    }
    setBusy(false);
  };
  const run = (body: unknown): Promise<void> =>
    send(`/tools/${segment(name)}/execute`, { body }).then(async (response) =>
      setAnswer({ status: response.status, text: JSON.stringify(await response.json(), null, 2) }),
    );
  const explain = async (body: unknown): Promise<void> =>
    setExplained(await api<ExplainInfo>('/explain', { body: { tool: name, args: body, door: 'console' } }));
  const toggle = (): void => {
    if (draft === undefined) return setDraft(JSON.stringify(args, null, 2));
    try {
      setArgs(JSON.parse(draft) as unknown);
      setDraft(undefined);
    } catch {
      setProblem('The arguments are not JSON');
    }
    return undefined;
  };
  return (
    <Panel
      title="Try it"
      aside={
        <button type="button" onClick={toggle}>
          {draft === undefined ? 'Edit as JSON' : 'Edit as a form'}
        </button>
      }
    >
      <p class="note">The call goes through every guard, as your call, with the door console.</p>
      {draft === undefined ? (
        <SchemaForm node={form} value={args} id="try" onChange={setArgs} />
      ) : (
        <>
          <label for="try-args">Arguments as JSON</label>
          <textarea id="try-args" rows={8} value={draft} onInput={(event) => setDraft(event.currentTarget.value)} />
        </>
      )}
      <div class="row actions">
        <button type="button" class="primary" disabled={isBusy} onClick={() => void attempt(run)}>
          Run
        </button>
        <button type="button" disabled={isBusy} onClick={() => void attempt(explain)}>
          Explain
        </button>
        {isBusy && <span class="note">Running; a call that needs approval waits for an operator.</span>}
      </div>
      {problem !== undefined && <ErrorNote error={{ message: problem }} />}
      {explained && <Explanation info={explained} />}
      {answer !== undefined && (
        <div role="status" class="answer">
          <Chip meaning={answer.status === 200 ? 'good' : 'bad'}>{`status ${answer.status}`}</Chip>
          <pre>
            <Text multiline>{answer.text}</Text>
          </pre>
        </div>
      )}
    </Panel>
  );
}
