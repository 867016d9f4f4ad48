import type { ComponentChildren } from 'preact';
import { segment } from '../lib/api.js';
import type { CallInfo } from '../lib/calls.js';
import { duration } from '../lib/format.js';
import { href } from '../lib/router.js';
import { Chip, Time } from './basics.js';
import { decisionMeaning } from './explanation.js';
import { Name, Text } from './text.js';

/** Head of every table of calls. */
export const CallHead = () => (
  <thead>
    <tr>
      <th scope="col">Tool</th>
      <th scope="col">Caller</th>
      <th scope="col">Door</th>
      <th scope="col">Result</th>
      <th scope="col" class="number">
        Duration
      </th>
      <th scope="col">Time</th>
    </tr>
  </thead>
);

/** Cells of one call; the first is the link to it. */
export const CallCells = ({ each, time }: { readonly each: CallInfo; readonly time: ComponentChildren }) => (
  <>
    <th scope="row">
      <a href={href(`/calls/${segment(each.call)}`)}>
        <Name>{each.tool}</Name>
      </a>
    </th>
    <td>
      <Name>{each.principal}</Name>
    </td>
    <td>{each.via}</td>
    <td>
      <Chip meaning={decisionMeaning[each.decision] ?? 'unknown'}>{each.code ?? each.decision}</Chip>{' '}
      {typeof each.detail?.['action'] === 'string' && <Text>{each.detail['action']}</Text>}
    </td>
    <td class="number">{each.durationMs === undefined ? '–' : duration(each.durationMs)}</td>
    <td>{time}</td>
  </>
);

/** Calls as a table. */
export const CallRows = ({ calls }: { readonly calls: readonly CallInfo[] }) => (
  <div class="scroll-x panel">
    <table class="rows">
      <CallHead />
      <tbody>
        {calls.map((each) => (
          <tr key={each.call}>
            <CallCells each={each} time={<Time at={each.at} />} />
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);
