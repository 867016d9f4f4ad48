import type { StageInfo } from '../lib/calls.js';
import { duration } from '../lib/format.js';
import { Icon } from './icons.js';

/** Width of a bar: logarithmic from one microsecond to one minute, so that 40 µs and 40 s both look right. */
const widthOf = (ms: number): number => Math.max(2, Math.min(100, (Math.log10(Math.max(ms, 0.001)) + 3) * (100 / 7.8)));

/** The pipeline as boxes, with the time in each and the guard that answered marked. */
export const Waterfall = ({
  stages,
  pipeline,
}: {
  readonly stages: readonly StageInfo[];
  /** All guards in their order; those after the one that answered are drawn grey. */
  readonly pipeline: readonly string[];
}) => (
  <ol class="waterfall">
    {stages.map(({ stage, own_ms: own, answered, code }) => (
      <li class={answered ? (code === undefined ? 'answered good' : 'answered bad') : ''}>
        <span class="stage">{stage}</span>
        <svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
          <rect width={own === null ? 0 : widthOf(own)} height="10" />
        </svg>
        <span class="number">{own === null ? 'runs' : duration(Math.max(0, own))}</span>
        <span class="answer">
          {answered && (
            <>
              <Icon name={code === undefined ? 'check' : 'cross'} /> answered{code !== undefined && `: ${code}`}
            </>
          )}
        </span>
      </li>
    ))}
    {pipeline.slice(pipeline.indexOf(stages.at(-1)?.stage ?? '') + 1).map((stage) => (
      <li class="later">
        <span class="stage">{stage}</span>
        <span />
        <span class="number">–</span>
        <span class="answer" />
      </li>
    ))}
  </ol>
);
