import { useEffect, useRef, useState } from 'preact/hooks';
import { api } from '../lib/api.js';
import type { CallInfo } from '../lib/calls.js';
import { fromEvent } from '../lib/calls.js';
import { epoch, onEvents } from '../lib/events.js';
import { useKeys } from '../lib/keys.js';
import { me } from '../lib/me.js';
import { route, setQuery } from '../lib/router.js';
import { Empty, ErrorNote, Origin } from '../parts/basics.js';
import { Icon } from '../parts/icons.js';
import { VirtualCalls } from '../parts/virtual-calls.js';

/** Rows kept in memory; older calls are in the audit. */
const mostRows = 5_000;
/** Rows of the first request. */
const firstRows = 500;
const filterNames = ['tool', 'by', 'code'] as const;

/** Live calls, with filters in the address. */
export function CallsPage() {
  const [calls, setCalls] = useState<readonly CallInfo[]>([]);
  const [at, setAt] = useState<number>();
  const [problem, setProblem] = useState<string>();
  const [isPaused, setPaused] = useState(false);
  const [buffered, setBuffered] = useState(0);
  /** Calls that arrive while paused; in a ref, since they must not redraw the page. */
  const held = useRef<CallInfo[]>([]);
  const { query } = route.value;
  const failedOnly = query.get('failed') === 'true';
  const accepts = (each: CallInfo): boolean =>
    (!query.get('tool') || each.tool === query.get('tool')) &&
    (!query.get('by') || each.principal === query.get('by')) &&
    (!query.get('code') || each.code === query.get('code')) &&
    (!failedOnly || each.decision !== 'allowed');
  const text = query.toString();
  useEffect(() => {
    api<{ readonly calls: readonly CallInfo[] }>(`/calls?limit=${firstRows}&${text}`)
      .then(({ calls: found }) => {
        // Merged with live calls: events may have arrived before this answer.
        setCalls((before) => mergeCalls(found, before).toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at)));
        setAt(Date.now());
        setProblem(undefined);
      })
      .catch((error: unknown) => setProblem(error instanceof Error ? error.message : String(error)));
  }, [text, epoch.value]);
  useEffect(() => {
    // Only administrators may subscribe to call events.
    if (me.value?.may.admin !== true) return undefined;
    return onEvents('call', (events) => {
      const fresh = events.map(({ at: time, data }) => fromEvent(time, data)).toReversed();
      setAt(Date.now());
      if (isPaused) {
        held.current = [...fresh, ...held.current].slice(0, mostRows);
        setBuffered((before) => before + fresh.length);
      } else setCalls((before) => mergeCalls(fresh, before));
    });
  }, [isPaused, me.value?.may.admin]);
  const toggle = (): void => {
    if (isPaused) {
      const waiting = held.current;
      held.current = [];
      setBuffered(0);
      setCalls((before) => mergeCalls(waiting, before));
    }
    setPaused(!isPaused);
  };
  useKeys(
    [
      { keys: 'p', does: 'Pause and continue', run: toggle },
      { keys: 'f', does: 'Failed and refused only', run: () => setQuery({ failed: failedOnly ? undefined : 'true' }) },
    ],
    [isPaused, failedOnly],
  );
  const shown = calls.filter(accepts);
  return (
    <>
      <h1>Calls</h1>
      <Origin of="GET /calls, events" at={at} />
      <div class="row filters">
        {filterNames.map((name) => (
          <label>
            {name === 'by' ? 'Caller' : name === 'tool' ? 'Tool' : 'Code'}{' '}
            <input
              type="text"
              value={query.get(name) ?? ''}
              onChange={(event) => setQuery({ [name]: event.currentTarget.value })}
            />
          </label>
        ))}
        <label>
          <input
            type="checkbox"
            checked={failedOnly}
            onChange={(event) => setQuery({ failed: event.currentTarget.checked ? 'true' : undefined })}
          />{' '}
          Failed and refused only
        </label>
        <button type="button" onClick={toggle}>
          <Icon name={isPaused ? 'play' : 'pause'} /> {isPaused ? `Continue (${buffered} new)` : 'Pause'}
        </button>
      </div>
      {problem !== undefined && <ErrorNote error={{ message: problem }} />}
      {shown.length === 0 && at !== undefined ? (
        <Empty title="No calls match.">
          <p>
            Calls appear here as they end; <code>toolgate call</code> makes one.
          </p>
        </Empty>
      ) : (
        <VirtualCalls calls={shown} />
      )}
    </>
  );
}

/** New calls before known ones, each once. */
function mergeCalls(fresh: readonly CallInfo[], known: readonly CallInfo[]): readonly CallInfo[] {
  const ids = new Set(fresh.map(({ call }) => call));
  return [...fresh, ...known.filter(({ call }) => !ids.has(call))].slice(0, mostRows);
}
