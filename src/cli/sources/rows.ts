import { sourceAccessOf } from '../../serve/operator-routes.js';
import type { Gate } from '../../serve/gate.js';
import type { Home } from '../../serve/home.js';
import type { SourcePhase } from '../../core/source.js';
import { escapeInvisible } from '../../lib/text/escape-invisible.js';
import type { GateClient } from '../gate-client.js';
import type { Io } from '../io.js';
import { fitLine, tableLines } from '../terminal.js';
import { countOf, evidenceLines, type SourceEvidence } from './evidence.js';

/** A source as the routes about sources describe it. */
export interface SourceRow {
  readonly id: string;
  readonly kind: string;
  readonly status: string;
  readonly detail: string | null;
  readonly sandbox: string | null;
  readonly phase: SourcePhase | null;
  readonly retry_in_seconds: number | null;
  readonly tool_names: readonly string[];
  readonly withheld_items: readonly { readonly what: string; readonly why: string }[];
  readonly evidence?: SourceEvidence;
}

/** Sources of a gate: of the running one over its socket, or of one in this process. */
export interface SourceReader {
  ids(): Promise<readonly string[]>;
  find(id: string): Promise<SourceRow | undefined>;
}

/** Sources of the running gate. */
export const remoteSources = (gate: GateClient): SourceReader => ({
  async ids() {
    const { sources = [] } = ((await gate.request('GET', '/sources')).body ?? {}) as { sources?: { id: string }[] }; // GET /sources
    return sources.map(({ id }) => id);
  },
  async find(id) {
    const { status, body } = await gate.request('GET', `/sources/${encodeURIComponent(id)}`);
    return status === 200 ? (body as unknown as SourceRow) : undefined; // GET /sources/{id}
  },
});

/** Sources of a gate in this process. */
export function localSources(gate: Gate, home: Home): SourceReader {
  const access = sourceAccessOf(gate, home);
  return {
    // The routes and this reader share one description, so both outputs have the same fields.
    ids: () => Promise.resolve(access.list().map((row) => String(row['id']))),
    find: (id) => Promise.resolve(access.find(id) as unknown as SourceRow | undefined), // the same object as over REST
  };
}

/** Phases of a start as a person reads them. */
const phaseWords: Readonly<Record<SourcePhase, string>> = {
  install: 'installing',
  scan: 'scanning',
  start: 'starting',
  read: 'reading',
  list: 'listing',
};

/** What a source is doing, in words: its phase, when it is tried again, or its health. */
const stateOf = (row: SourceRow): string => {
  const { status, phase, retry_in_seconds: retry } = row;
  // A source that does something now is described by that, whatever it was before.
  if (phase !== null) return phaseWords[phase];
  if (isHeld(row)) return 'held for approval';
  return retry !== null ? `retrying in ${retry} s` : status === 'healthy' ? 'ready' : status;
};

/** Whether the source waits for a decision of its operator, after which the next attempt starts it. */
const isHeld = ({ evidence, status }: SourceRow): boolean =>
  evidence?.decision === 'quarantine' && status === 'unhealthy';

/** Why a source is not ready; of a held one the whole reason, which ends with the commands that decide. */
const detailOf = (row: SourceRow): string | null =>
  (isHeld(row) ? row.withheld_items.find(({ what }) => what === row.id)?.why : undefined) ?? row.detail;

/** A row as `--json` prints it. */
export const rowJson = (row: SourceRow): Readonly<Record<string, unknown>> => ({
  source: row.id,
  kind: row.kind,
  status: row.status,
  state: stateOf(row),
  ...(row.phase !== null && { phase: row.phase }),
  ...(row.retry_in_seconds !== null && { retry_in_seconds: row.retry_in_seconds }),
  ...(row.detail !== null && { detail: detailOf(row) }),
  ...(row.sandbox !== null && { sandbox: row.sandbox }),
  tools: row.tool_names,
  ...(row.evidence && { admission: row.evidence }),
  withheld: row.withheld_items,
});

/** Prints sources, one line each with its evidence below; with `showsTools` also the names of its tools. */
export function printSources(rows: readonly SourceRow[], showsTools: boolean, io: Io): void {
  const lines = tableLines(
    rows.map((row) => [row.id, stateOf(row), countOf(row.tool_names.length, 'tool'), detailOf(row) ?? '']),
    io,
  );
  for (const [index, row] of rows.entries()) {
    const detail = detailOf(row);
    // Lines about a source are indented below it and cut, because reasons can be long.
    const { id, sandbox, evidence, tool_names: tools, withheld_items: withheld } = row;
    const below = (text: string): void => io.out(`${fitLine(`  ${escapeInvisible(text)}`, io)}\n`);
    io.out(`${lines[index] ?? id}\n`);
    if (sandbox !== null) below(`sandbox    ${sandbox}`);
    // What the decision is based on; a reason that the first line shows already is not repeated.
    for (const line of evidence === undefined ? [] : evidenceLines(evidence))
      if (detail === null || !line.startsWith('unknown') || !detail.includes(line.slice(11))) below(line);
    if (showsTools) for (const tool of tools) below(tool);
    // The reason for the whole source is already in the first line.
    for (const { what, why } of withheld)
      if (what !== id || !(detail ?? '').startsWith(why.slice(0, 100))) below(`withheld   ${what}: ${why}`);
  }
}
