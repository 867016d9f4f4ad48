import { duration } from '../lib/format.js';
import { Chip, Fact, Facts, Panel, Time } from './basics.js';
import { Text } from './text.js';

/** Runtime facts of a source as `GET /sources/{id}` returns them; null if it starts nothing. */
export interface SourceRuntimeInfo {
  readonly server: { readonly name: string; readonly version: string } | null;
  readonly revision: string | null;
  readonly connections: number;
  readonly restarts: number;
  readonly can_restart: boolean;
  readonly phases: readonly {
    readonly phase: string;
    readonly started_at: string;
    readonly duration_ms: number | null;
  }[];
  readonly processes: readonly {
    readonly pid: number;
    readonly depth: number;
    readonly name: string;
    readonly memory_mb: number;
  }[];
  readonly stderr: readonly string[] | null;
  readonly last_end: { readonly at: string; readonly message: string } | null;
}

/** Phases of the start, processes, restarts and the last lines of stderr. */
export const SourceRuntime = ({ runtime }: { readonly runtime: SourceRuntimeInfo }) => (
  <Panel title="Processes">
    <Facts>
      <Fact name="Server">
        {runtime.server === null ? (
          <span class="unknown">not connected yet</span>
        ) : (
          <>
            <Text>{`${runtime.server.name} ${runtime.server.version}`}</Text>{' '}
            <span class="note">protocol {runtime.revision ?? 'unknown'}</span>
          </>
        )}
      </Fact>
      <Fact name="Connections">
        {runtime.connections} open, restarted {runtime.restarts} {runtime.restarts === 1 ? 'time' : 'times'}
      </Fact>
      <Fact name="Start">
        {runtime.phases.length === 0 ? (
          <span class="unknown">no phases recorded</span>
        ) : (
          <ol class="phases">
            {runtime.phases.map(({ phase, duration_ms: ms }) => (
              <li>
                <Chip meaning={ms === null ? 'attention' : 'plain'}>{phase}</Chip>{' '}
                <span class="number">{ms === null ? 'running' : duration(ms)}</span>
              </li>
            ))}
          </ol>
        )}
      </Fact>
      <Fact name="Processes">
        {runtime.processes.length === 0 ? (
          <span class="unknown">none of this machine</span>
        ) : (
          <ul class="plain process-tree">
            {runtime.processes.map(({ pid, depth, name, memory_mb: memory }) => (
              <li class={`depth-${Math.min(depth, 6)}`}>
                <code>
                  <Text>{name}</Text>
                </code>{' '}
                <span class="note">
                  pid {pid}, {memory} MB
                </span>
              </li>
            ))}
          </ul>
        )}
      </Fact>
      {runtime.last_end !== null && (
        <Fact name="Last end">
          <Text>{runtime.last_end.message}</Text> <Time at={runtime.last_end.at} />
        </Fact>
      )}
    </Facts>
    <h3>Last lines of stderr</h3>
    {runtime.stderr === null || runtime.stderr.length === 0 ? (
      <p class="unknown">It has written none.</p>
    ) : (
      <pre class="log">
        <Text multiline>{runtime.stderr.join('\n')}</Text>
      </pre>
    )}
  </Panel>
);
