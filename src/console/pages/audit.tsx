import { useState } from 'preact/hooks';
import { api, send } from '../lib/api.js';
import type { CallInfo } from '../lib/calls.js';
import { useRemote } from '../lib/remote.js';
import { route, setQuery } from '../lib/router.js';
import { Chip, Empty, ErrorNote, Origin, Panel } from '../parts/basics.js';
import { CallRows } from '../parts/call-rows.js';

interface AuditPageInfo {
  readonly entries: readonly CallInfo[];
  readonly next?: string;
}

/** Audit records with filters and pages, and the verification of the hash chain. */
export function AuditPage() {
  const { query } = route.value;
  const { data, at, error } = useRemote<AuditPageInfo>(`/audit?limit=50&${query.toString()}`);
  const [problem, setProblem] = useState<string>();
  const [more, setMore] = useState<readonly AuditPageInfo[]>([]);
  const last = more.at(-1) ?? data;
  const entries = [...(data?.entries ?? []), ...more.flatMap((page) => page.entries)].filter(
    (entry) => entry.tool !== undefined,
  );
  const loadMore = async (): Promise<void> => {
    if (last?.next === undefined) return;
    const page = await api<AuditPageInfo>(
      `/audit?limit=50&${query.toString()}&before=${encodeURIComponent(last.next)}`,
    );
    setMore((before) => [...before, page]);
  };
  return (
    <>
      <h1>Audit</h1>
      <Origin of="GET /audit" at={at} error={error} />
      {error && <ErrorNote error={error} />}
      <Verification />
      <div class="row filters">
        {(['tool', 'by', 'code'] as const).map((name) => (
          <label>
            {name === 'by' ? 'Principal' : name === 'tool' ? 'Tool' : 'Code'}{' '}
            <input
              type="text"
              value={query.get(name) ?? ''}
              onChange={(event) => {
                setMore([]);
                setQuery({ [name]: event.currentTarget.value });
              }}
            />
          </label>
        ))}
        <button
          type="button"
          onClick={() => {
            setProblem(undefined);
            exportRecords(query).catch((failure: unknown) =>
              setProblem(failure instanceof Error ? failure.message : String(failure)),
            );
          }}
        >
          Export as NDJSON
        </button>
      </div>
      {problem !== undefined && <ErrorNote error={{ message: problem }} />}
      {entries.length === 0 && data ? <Empty title="No record matches." /> : <CallRows calls={entries} />}
      {last?.next !== undefined && (
        <button type="button" onClick={() => void loadMore()}>
          Older records
        </button>
      )}
    </>
  );
}

/** Calls back with each line of a response as it arrives. */
async function readLines(answer: Response, onLine: (line: string) => void): Promise<void> {
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done) break;
    const lines = (text + value).split('\n');
    // A chunk may end inside a line; the rest waits for the next one.
    text = lines.pop() ?? '';
    for (const line of lines) onLine(line);
  }
}

/** Saves the matching records as a file; the token goes in a header, so a plain link would not do. */
async function exportRecords(query: URLSearchParams): Promise<void> {
  const answer = await send(`/audit/export?${query.toString()}`);
  if (!answer.ok) throw new Error(`HTTP status ${answer.status}`);
  const address = URL.createObjectURL(await answer.blob());
  const link = document.createElement('a');
  link.href = address;
  link.download = 'toolgate-audit.ndjson';
  link.target = '_self';
  link.click();
  // Revoked later, because the download reads the object URL after the click returned.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Verifies the chain with progress, and shows the head to note elsewhere. */
function Verification() {
  const [lines, setLines] = useState<readonly Readonly<Record<string, unknown>>[]>([]);
  const [isBusy, setBusy] = useState(false);
  const heads = useRemote<{
    readonly journals: readonly { readonly journal: number; readonly seq: number; readonly hash: string }[];
  }>('/audit/head');
  const verify = async (): Promise<void> => {
    setBusy(true);
    setLines([]);
    try {
      const answer = await send('/audit/verify', { method: 'POST' });
      // Line by line, so that the progress is visible while large journals are read.
      await readLines(answer, (line) =>
        setLines((before) => [...before, JSON.parse(line) as Readonly<Record<string, unknown>>]),
      );
    } finally {
      setBusy(false);
    }
  };
  const result = lines.at(-1);
  return (
    <Panel
      title="Hash chain"
      aside={
        <button type="button" disabled={isBusy} onClick={() => void verify()}>
          {isBusy ? 'Verifying…' : 'Verify'}
        </button>
      }
    >
      <div role="status">
        {result === undefined ? (
          <p class="unknown">Not verified by this page yet.</p>
        ) : (
          <p>
            <Chip
              meaning={result['intact'] === true ? 'good' : 'bad'}
              icon={result['intact'] === true ? 'check' : 'cross'}
            >
              {result['intact'] === true ? 'intact' : 'not intact'}
            </Chip>{' '}
            {String(result['records'])} records
          </p>
        )}
      </div>
      <ul class="plain">
        {heads.data?.journals.map(({ journal, seq, hash }) => (
          <li>
            Journal {journal}, record {seq}: <code>{hash}</code>
          </li>
        ))}
      </ul>
      <p class="note">Note a head elsewhere: it proves later that no earlier record was changed.</p>
    </Panel>
  );
}
