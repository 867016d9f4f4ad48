import { useEffect, useRef, useState } from 'preact/hooks';
import type { CallInfo } from '../lib/calls.js';
import { exactTime, timeOfDay } from '../lib/format.js';
import { CallCells, CallHead } from './call-rows.js';

/** In pixels, as in the style sheet: a virtual list computes positions from a fixed height. */
const rowHeight = 32;
/** Rows drawn above and below the visible part, so that scrolling shows no gap. */
const overscan = 8;

/** Calls in a table that draws only its visible rows: thousands of rows cost as much as thirty. */
export function VirtualCalls({ calls }: { readonly calls: readonly CallInfo[] }) {
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 800 });
  useEffect(() => {
    const { current } = box;
    if (current === null) return undefined;
    const measure = (): void => setView({ top: current.scrollTop, height: current.clientHeight });
    measure();
    current.addEventListener('scroll', measure, { passive: true });
    const resized = new ResizeObserver(measure);
    resized.observe(current);
    return () => {
      current.removeEventListener('scroll', measure);
      resized.disconnect();
    };
  }, []);
  // Clamped: a filter can shorten the list below the scroll position.
  const first = Math.max(0, Math.min(Math.floor(view.top / rowHeight) - overscan, calls.length - 1));
  const shown = calls.slice(first, first + Math.ceil(view.height / rowHeight) + 2 * overscan);
  const below = calls.length - first - shown.length;
  return (
    <div class="panel virtual" ref={box} tabIndex={0} role="region" aria-label="Calls, scrollable">
      <table class="rows" aria-rowcount={calls.length + 1}>
        <CallHead />
        <tbody>
          {first > 0 && <tr class="spacer" aria-hidden="true" style={{ height: `${first * rowHeight}px` }} />}
          {shown.map((each, at) => (
            <Row key={each.call} each={each} index={first + at} />
          ))}
          {below > 0 && <tr class="spacer" aria-hidden="true" style={{ height: `${below * rowHeight}px` }} />}
        </tbody>
      </table>
    </div>
  );
}

/** Times are absolute here: relative ones would redraw every row each second. */
const Row = ({ each, index }: { readonly each: CallInfo; readonly index: number }) => {
  const at = Date.parse(each.at);
  return (
    <tr aria-rowindex={index + 2} data-call={each.call}>
      <CallCells
        each={each}
        time={
          <time dateTime={each.at} title={exactTime(at)}>
            {timeOfDay(at)}
          </time>
        }
      />
    </tr>
  );
};
