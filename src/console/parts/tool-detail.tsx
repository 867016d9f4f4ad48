import { useState } from 'preact/hooks';
import { api, segment } from '../lib/api.js';
import { me } from '../lib/me.js';
import { useRemote } from '../lib/remote.js';
import { href } from '../lib/router.js';
import type { Schema } from '../lib/schema-form.js';
import { Chip, ErrorNote, Fact, Facts, Origin, Panel } from './basics.js';
import { decisionMeaning } from './explanation.js';
import { Name, Text } from './text.js';
import { TryIt } from './try-it.js';

interface ToolInfo {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly source: string;
  readonly ready: boolean;
  readonly reason?: string;
  readonly enabled: boolean;
  readonly performance: Readonly<Record<string, number>>;
  readonly circuit_breaker: {
    readonly state: string;
    readonly failures: number;
    readonly failure_threshold?: number;
    readonly retry_after_ms?: number;
  };
  readonly effects: Readonly<Record<string, unknown>> & { readonly labels?: readonly string[] };
  readonly input_schema: Schema;
  readonly output_schema: Schema | null;
}

const effectNames = { reads: 'reads', writes: 'writes', destroys: 'destroys', openWorld: 'reaches outside' } as const;
/** Rough size for a model: four characters are about one token. */
const charactersPerToken = 4;

/** Definition, limits, state, access and a form of one tool. */
export function ToolDetail({ name }: { readonly name: string }) {
  const { data, at, error, refresh } = useRemote<ToolInfo>(`/tools/${segment(name)}`, { on: ['registry', 'breaker'] });
  const [problem, setProblem] = useState<string>();
  const act = async (verb: string): Promise<void> => {
    setProblem(undefined);
    await api(`/tools/${segment(name)}/${verb}`, { method: 'POST' }).catch((failure: unknown) =>
      setProblem(failure instanceof Error ? failure.message : String(failure)),
    );
    refresh();
  };
  const isAdmin = me.value?.may.admin === true;
  return (
    <>
      <h1>
        Tool <Name>{name}</Name>
      </h1>
      <Origin of={`GET /tools/${name}`} at={at} error={error} />
      {error && data === undefined && <ErrorNote error={error} />}
      {problem !== undefined && <ErrorNote error={{ message: problem }} />}
      {data && (
        <>
          <Panel title="Definition" aside={isAdmin && <Actions tool={data} act={(verb) => void act(verb)} />}>
            <Definition tool={data} />
          </Panel>
          {isAdmin && <Access name={name} />}
          <TryIt name={name} schema={data.input_schema} />
        </>
      )}
    </>
  );
}

const Actions = ({ tool, act }: { readonly tool: ToolInfo; readonly act: (verb: string) => void }) => (
  <div class="row">
    {tool.circuit_breaker.state !== 'closed' && (
      <button type="button" onClick={() => act('breaker/reset')}>
        Reset the breaker
      </button>
    )}
    <button type="button" onClick={() => act(tool.enabled ? 'disable' : 'enable')}>
      {tool.enabled ? 'Disable' : 'Enable'}
    </button>
  </div>
);

function Definition({ tool }: { readonly tool: ToolInfo }) {
  const { performance: limits, circuit_breaker: breaker, effects } = tool;
  // Only what a model receives; effects and limits stay in the gateway and cost no tokens.
  const definition = JSON.stringify({ name: tool.name, description: tool.description, inputSchema: tool.input_schema });
  return (
    <>
      <p>
        <Text multiline>{tool.description ?? ''}</Text>
      </p>
      <Facts>
        <Fact name="Source">
          <a href={href(`/sources/${segment(tool.source)}`)}>
            <Name>{tool.source}</Name>
          </a>
        </Fact>
        <Fact name="State">
          {tool.enabled ? (
            tool.ready ? (
              <Chip meaning="good">ready</Chip>
            ) : (
              <Chip meaning="attention">not ready</Chip>
            )
          ) : (
            <Chip meaning="attention">disabled</Chip>
          )}{' '}
          <Text>{tool.reason ?? ''}</Text>
        </Fact>
        <Fact name="Effects">
          {Object.entries(effectNames)
            .filter(([key]) => effects[key] === true)
            .map(([key, word]) => (
              <Chip meaning={key === 'destroys' ? 'bad' : key === 'reads' ? 'plain' : 'attention'}>{word}</Chip>
            ))}
        </Fact>
        <Fact name="Labels">
          {effects.labels === undefined || effects.labels.length === 0 ? (
            <span class="unknown">none</span>
          ) : (
            effects.labels.map((label) => <Chip>{label}</Chip>)
          )}
        </Fact>
        <Fact name="Limits">
          {limits['rate_per_minute']} calls a minute · {limits['concurrency']} at a time · {limits['default_timeout']}{' '}
          s, at most {limits['max_timeout']} s
        </Fact>
        <Fact name="Breaker">
          <Chip meaning={breaker.state === 'closed' ? 'good' : 'bad'}>{breaker.state}</Chip> {breaker.failures}
          {breaker.failure_threshold !== undefined && ` of ${breaker.failure_threshold}`} failures
        </Fact>
        <Fact name="Cost">
          about {Math.ceil(definition.length / charactersPerToken)} tokens in each list of tools{' '}
          <span class="note">(estimate: {charactersPerToken} characters a token)</span>
        </Fact>
      </Facts>
      <details>
        <summary>Input schema</summary>
        <pre>
          <Text multiline>{JSON.stringify(tool.input_schema, null, 2)}</Text>
        </pre>
      </details>
      {tool.output_schema !== null && (
        <details>
          <summary>Output schema</summary>
          <pre>
            <Text multiline>{JSON.stringify(tool.output_schema, null, 2)}</Text>
          </pre>
        </details>
      )}
    </>
  );
}

interface AccessInfo {
  readonly principals: readonly {
    readonly principal: string;
    readonly roles: readonly string[];
    readonly decision: string;
    readonly rule?: string;
    readonly depends_on?: readonly string[];
  }[];
}

/** Who may call the tool, and by which rule. */
function Access({ name }: { readonly name: string }) {
  const { data, at, error } = useRemote<AccessInfo>(`/tools/${segment(name)}/access`, { on: ['config'] });
  return (
    <Panel title="Who may call it" aside={<Origin of={`GET /tools/${name}/access`} at={at} error={error} />}>
      <div class="scroll-x">
        <table class="rows">
          <thead>
            <tr>
              <th scope="col">Principal</th>
              <th scope="col">Decision</th>
              <th scope="col">Rule</th>
            </tr>
          </thead>
          <tbody>
            {data?.principals.map(({ principal, roles, decision, rule, depends_on: conditional = [] }) => (
              <tr key={principal}>
                <th scope="row">
                  <Name>{principal}</Name> <span class="note">{roles.join(', ')}</span>
                </th>
                <td>
                  <Chip meaning={decisionMeaning[decision] ?? 'unknown'}>{decision}</Chip>
                </td>
                <td>
                  {rule !== undefined && <Name>{rule}</Name>}
                  {conditional.length > 0 && (
                    <span class="note">
                      {' '}
                      without arguments; depends on <Text>{conditional.join(', ')}</Text>
                    </span>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="note">Callers of an issuer are not listed: they are known when they call.</p>
    </Panel>
  );
}
