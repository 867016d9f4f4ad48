import { segment } from '../lib/api.js';
import type { CallInfo } from '../lib/calls.js';
import { duration, exactTime } from '../lib/format.js';
import { useRemote } from '../lib/remote.js';
import { href } from '../lib/router.js';
import { Chip, ErrorNote, Fact, Facts, Origin, Panel } from '../parts/basics.js';
import { decisionMeaning } from '../parts/explanation.js';
import { Name, Text } from '../parts/text.js';
import { CallActions } from '../parts/call-actions.js';
import { Waterfall } from '../parts/waterfall.js';
import type { PageParams } from './index.js';

/** One call: its way through the guards, its decision and its audit record. */
export function CallPage({ id = '' }: PageParams) {
  const { data, at, error } = useRemote<CallInfo>(`/calls/${segment(id)}`);
  return (
    <>
      <h1>Call</h1>
      <Origin of={`GET /calls/${id}`} at={at} error={error} />
      {error && data === undefined && <ErrorNote error={error} />}
      {data && (
        <>
          <Panel title="Pipeline">
            {data.stages ? (
              <Waterfall stages={data.stages} pipeline={data.pipeline ?? []} />
            ) : (
              <p class="unknown">
                The stages of this call were not recorded: they are recorded while a page of calls is open, or always
                with <code>audit.stages</code>.
              </p>
            )}
          </Panel>
          <CallRecord call={data} />
          <CallActions call={data} />
        </>
      )}
    </>
  );
}

/** What the audit keeps about the result: numbers and marks, never the text. */
const CallResult = ({ call: { detail = {} } }: { readonly call: CallInfo }) => {
  const { rule: _rule, ticket: _ticket, ...kept } = detail;
  return Object.keys(kept).length === 0 ? (
    <span class="unknown">the audit keeps no text of results; nothing was redacted, cut or flagged in its record</span>
  ) : (
    <pre>
      <Text multiline>{JSON.stringify(kept, null, 2)}</Text>
    </pre>
  );
};

const CallRecord = ({ call }: { readonly call: CallInfo }) => (
  <Panel title="Audit record">
    <Facts>
      <Fact name="Tool">
        <a href={href(`/tools/${segment(call.tool)}`)}>
          <Name>{call.tool}</Name>
        </a>
      </Fact>
      <Fact name="Caller">
        <a href={href(`/calls?by=${segment(call.principal)}`)}>
          <Name>{call.principal}</Name>
        </a>{' '}
        through {call.via}
      </Fact>
      <Fact name="Decided then">
        <Chip meaning={decisionMeaning[call.decision] ?? 'unknown'}>{call.code ?? call.decision}</Chip>{' '}
        <Text>{call.message ?? ''}</Text>
      </Fact>
      {typeof call.detail?.['rule'] === 'string' && (
        <Fact name="Rule">
          <a href={href(`/policy?rule=${segment(call.detail['rule'])}`)}>
            <Name>{call.detail['rule']}</Name>
          </a>
        </Fact>
      )}
      <Fact name="Arguments">
        {call.args === undefined ? (
          <span class="unknown">not kept (audit.keep_arguments is off)</span>
        ) : (
          <pre>
            <Text multiline>{JSON.stringify(call.args, null, 2)}</Text>
          </pre>
        )}
      </Fact>
      <Fact name="Result">
        <CallResult call={call} />
      </Fact>
      <Fact name="Duration">
        {call.durationMs === undefined ? <span class="unknown">unknown</span> : duration(call.durationMs)}
      </Fact>
      <Fact name="Time">{exactTime(Date.parse(call.at))}</Fact>
      <Fact name="Correlation id">
        <code>
          <Text>{call.correlationId ?? ''}</Text>
        </code>
      </Fact>
      <Fact name="Record">
        {call.hash === undefined ? (
          <span class="unknown">not yet read from the journal</span>
        ) : (
          <code>
            journal {call.journal}, record {call.seq}, {call.hash}
          </code>
        )}
      </Fact>
    </Facts>
  </Panel>
);
