import { segment } from '../lib/api.js';
import { useRemote } from '../lib/remote.js';
import { href, route, setQuery } from '../lib/router.js';
import { Chip, Empty, Origin } from '../parts/basics.js';
import { Name, Text } from '../parts/text.js';
import { ToolDetail } from '../parts/tool-detail.js';
import type { PageParams } from './index.js';

interface ToolSummary {
  readonly name: string;
  readonly description?: string;
  readonly source: string;
  readonly ready: boolean;
  readonly enabled: boolean;
  readonly circuit_breaker: string;
}

const mostShown = 500;

/** Tools that the caller may see, and one of them with a form to run it. */
export function ToolsPage({ name }: PageParams) {
  const { data, at, error } = useRemote<{ readonly tools: readonly ToolSummary[] }>(
    name === undefined ? '/tools' : undefined,
    { on: ['registry', 'breaker'] },
  );
  if (name !== undefined) return <ToolDetail name={name} />;
  const filter = route.value.query.get('name') ?? '';
  const matching = data?.tools.filter((tool) => tool.name.includes(filter)) ?? [];
  return (
    <>
      <h1>Tools</h1>
      <Origin of="GET /tools" at={at} error={error} />
      <div class="row filters">
        <label>
          Name contains{' '}
          <input type="text" value={filter} onInput={(event) => setQuery({ name: event.currentTarget.value })} />
        </label>
        <span class="note">
          {matching.length} of {data?.tools.length ?? 0}
        </span>
      </div>
      {data?.tools.length === 0 && (
        <Empty title="No tool is visible to you.">
          <p>
            <code>toolgate sources add</code> adds a source of tools; profiles and rules decide who sees them.
          </p>
        </Empty>
      )}
      {matching.length > 0 && (
        <div class="scroll-x panel">
          <table class="rows">
            <thead>
              <tr>
                <th scope="col">Tool</th>
                <th scope="col">Source</th>
                <th scope="col">State</th>
                <th scope="col">Description</th>
              </tr>
            </thead>
            <tbody>
              {matching.slice(0, mostShown).map((tool) => (
                <tr key={tool.name}>
                  <th scope="row">
                    <a href={href(`/tools/${segment(tool.name)}`)}>
                      <Name>{tool.name}</Name>
                    </a>
                  </th>
                  <td>
                    <Name>{tool.source}</Name>
                  </td>
                  <td>
                    <ToolState tool={tool} />
                  </td>
                  <td class="one-line">
                    <Text>{(tool.description ?? '').slice(0, 160)}</Text>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {matching.length > mostShown && <p class="note">{matching.length - mostShown} more; filter by name.</p>}
    </>
  );
}

function ToolState({ tool }: { readonly tool: ToolSummary }) {
  if (!tool.enabled) return <Chip meaning="attention">disabled</Chip>;
  if (tool.circuit_breaker !== 'closed') return <Chip meaning="bad">{`breaker ${tool.circuit_breaker}`}</Chip>;
  return tool.ready ? <Chip meaning="good">ready</Chip> : <Chip meaning="attention">not ready</Chip>;
}
