import { useEffect, useState } from 'preact/hooks';
import { api } from '../lib/api.js';
import { useRemote } from '../lib/remote.js';
import { route } from '../lib/router.js';
import { Chip, Empty, ErrorNote, Origin, Panel } from '../parts/basics.js';
import { decisionMeaning, Explanation, type ExplainInfo } from '../parts/explanation.js';
import { Name, Text } from '../parts/text.js';

interface RuleInfo extends Readonly<Record<string, unknown>> {
  readonly id: string;
  readonly action: string;
  readonly hits: number;
  readonly reason?: string;
}

interface ReplayInfo {
  readonly calls: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly changes: number;
  readonly changed: readonly {
    readonly call: string;
    readonly tool: string;
    readonly principal: string;
    readonly before: string;
    readonly after: string;
    readonly rule: string | null;
  }[];
}

/** Rules in their order, a playground, and drafts replayed over recorded calls. */
export function PolicyPage() {
  const { data, at, error } = useRemote<{ readonly rules: readonly RuleInfo[] }>('/policy', {
    on: ['config'],
    everyMs: 15_000,
  });
  const marked = route.value.query.get('rule');
  return (
    <>
      <h1>Policy</h1>
      <Panel title="Rules" aside={<Origin of="GET /policy" at={at} error={error} />}>
        {data?.rules.length === 0 ? (
          <Empty title="No rules: every call is allowed.">
            <p>
              Rules are in the configuration file under <code>policy.rules</code>.
            </p>
          </Empty>
        ) : (
          <table class="rows">
            <thead>
              <tr>
                <th scope="col">Rule</th>
                <th scope="col">Action</th>
                <th scope="col">Matches</th>
                <th scope="col" class="number">
                  Refused or held
                </th>
              </tr>
            </thead>
            <tbody>
              {data?.rules.map((rule) => (
                <tr key={rule.id} class={rule.id === marked ? 'marked' : ''}>
                  <th scope="row">
                    <Name>{rule.id}</Name>
                  </th>
                  <td>
                    <Chip meaning={decisionMeaning[rule.action] ?? 'plain'}>{rule.action}</Chip>
                  </td>
                  <td>
                    <code>
                      <Text>{conditionsOf(rule) || 'every call'}</Text>
                    </code>
                    {rule.reason !== undefined && (
                      <div class="note">
                        <Text>{rule.reason}</Text>
                      </div>
                    )}
                  </td>
                  <td class="number">{rule.hits}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </Panel>
      <Playground />
      <Replay rules={data?.rules} />
    </>
  );
}

/** The parts of a rule that are set. */
const conditionsOf = ({ id: _id, action, hits: _hits, reason: _reason, ...rest }: RuleInfo): string =>
  Object.entries(rest)
    // By whom a call is approved matters only where approval is required.
    .filter(([name]) => name !== 'confirm' || action === 'confirm')
    .filter(([, value]) => value !== undefined && JSON.stringify(value) !== '[]' && JSON.stringify(value) !== '{}')
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');

/** Principal × tool × arguments → decision, as you type. */
function Playground() {
  const [tool, setTool] = useState('');
  const [as, setAs] = useState('owner');
  const [args, setArgs] = useState('{}');
  const [info, setInfo] = useState<ExplainInfo>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    if (tool === '') return undefined;
    // Debounced: each keystroke would otherwise be a request.
    const timer = setTimeout(() => {
      let parsed: unknown;
      try {
        parsed = JSON.parse(args);
      } catch {
        setProblem('The arguments are not JSON');
        return;
      }
      api<ExplainInfo>('/explain', { body: { tool, as, args: parsed } })
        .then((found) => {
          setInfo(found);
          setProblem(undefined);
        })
        .catch((error: unknown) => setProblem(error instanceof Error ? error.message : String(error)));
    }, 300);
    return () => clearTimeout(timer);
  }, [tool, as, args]);
  return (
    <Panel title="Playground">
      <div class="row filters">
        <label>
          Principal <input type="text" value={as} onInput={(event) => setAs(event.currentTarget.value)} />
        </label>
        <label>
          Tool <input type="text" value={tool} onInput={(event) => setTool(event.currentTarget.value)} />
        </label>
      </div>
      <label for="playground-args">Arguments</label>
      <textarea id="playground-args" rows={3} value={args} onInput={(event) => setArgs(event.currentTarget.value)} />
      {problem !== undefined ? <ErrorNote error={{ message: problem }} /> : info && <Explanation info={info} />}
    </Panel>
  );
}

/** Draft rules over recorded calls; nothing is installed. */
function Replay({ rules }: { readonly rules: readonly RuleInfo[] | undefined }) {
  const [draft, setDraft] = useState('');
  const [result, setResult] = useState<ReplayInfo>();
  const [problem, setProblem] = useState<string>();
  const run = async (): Promise<void> => {
    try {
      setResult(await api<ReplayInfo>('/policy/replay', { body: { draft, calls: 500 } }));
      setProblem(undefined);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  const current = (): string =>
    JSON.stringify(
      rules?.map(({ hits: _hits, ...rule }) => rule),
      null,
      2,
    ) ?? '[]';
  return (
    <Panel
      title="Replay a draft"
      aside={
        <button type="button" onClick={() => setDraft(current())}>
          Start from the active rules
        </button>
      }
    >
      <label for="draft">Draft of policy.rules, YAML or JSON; it is not installed</label>
      <textarea id="draft" rows={6} value={draft} onInput={(event) => setDraft(event.currentTarget.value)} />
      <div class="row">
        <button type="button" class="primary" disabled={draft.trim() === ''} onClick={() => void run()}>
          Replay over the last 500 calls
        </button>
      </div>
      {problem !== undefined && <ErrorNote error={{ message: problem }} />}
      {result && (
        <div role="status">
          <p>
            Of the last {result.calls} calls, {result.counts['deny']} would be refused, {result.counts['confirm']}{' '}
            asked, {result.counts['allow']} allowed; {result.changes} change
            {(result.counts['unknown'] ?? 0) > 0 && `, ${result.counts['unknown']} cannot be decided from the record`}.
          </p>
          <ul class="plain">
            {result.changed.map(({ call, tool, principal, before, after, rule }) => (
              <li key={call}>
                <Name>{tool}</Name> by <Name>{principal}</Name>: {before} →{' '}
                <Chip meaning={decisionMeaning[after] ?? 'unknown'}>{after}</Chip> <Text>{rule ?? ''}</Text>
              </li>
            ))}
          </ul>
        </div>
      )}
    </Panel>
  );
}
