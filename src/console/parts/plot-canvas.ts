import { effect } from '@preact/signals';
import uPlot from 'uplot';
import { timeOfDay } from '../lib/format.js';
import { brushed, type PlotColour, type PlotData } from './plot.js';

const height = 150;
// Canvas cannot use CSS variables, so colours are resolved once per plot.
const colourOf = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim() || '#888';

const columns = ({ times, series }: PlotData): uPlot.AlignedData => [
  // uPlot counts in seconds, the console in milliseconds.
  times.map((at) => at / 1_000),
  ...series.map(({ values }) => [...values]),
];

/** Draws a plot into a frame; the lines stay the same until it is destroyed, their data does not. */
export function drawPlot(frame: HTMLElement, first: PlotData): { update(next: PlotData): void; destroy(): void } {
  let data = first;
  const rangeOf = (): [number, number] => {
    const { from, to } = brushed.value ?? data;
    return [from / 1_000, to / 1_000];
  };
  const axis = { stroke: colourOf('muted'), grid: { stroke: colourOf('border'), width: 1 }, ticks: { show: false } };
  const line = (label: string, colour: PlotColour): uPlot.Series => ({
    label,
    stroke: colourOf(colour),
    width: 1.5,
    points: { show: false },
    // A gap is a time without measurements; a line across it would invent values.
    spanGaps: false,
  });
  const plot = new uPlot(
    {
      width: Math.max(120, frame.clientWidth),
      height,
      legend: { show: false },
      // The drag sets `brushed` and not the scale of this plot: all plots of the page zoom together.
      cursor: { sync: { key: 'page' }, drag: { x: true, y: false, setScale: false }, points: { size: 6 } },
      scales: {
        x: { time: true, range: rangeOf },
        // The axis starts at zero and has a minimum height: noise near zero must not look like a peak.
        y: { range: (_plot, _min, max) => [0, Math.max(1, (max ?? 0) * 1.1)] },
      },
      axes: [
        {
          ...axis,
          size: 30,
          space: 70,
          values: (_plot, ticks) => ticks.map((tick) => timeOfDay(tick * 1_000).slice(0, 5)),
        },
        { ...axis, size: 52, values: (_plot, ticks) => withoutRepeats(ticks.map((tick) => data.format(tick))) },
      ],
      series: [{}, ...first.series.map(({ label, colour }) => line(label, colour))],
      hooks: {
        draw: [(drawn) => drawMarks(drawn, data.marks)],
        setSelect: [
          (drawn) => {
            const { left, width } = drawn.select;
            // A few pixels are a click and not a selection.
            if (width < 4) return;
            brushed.value = {
              from: drawn.posToVal(left, 'x') * 1_000,
              to: drawn.posToVal(left + width, 'x') * 1_000,
            };
            // Clears the selection box without a second `setSelect` event, which would recurse.
            drawn.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          },
        ],
      },
    },
    columns(first),
    frame,
  );
  const resize = new ResizeObserver(() => plot.setSize({ width: Math.max(120, frame.clientWidth), height }));
  resize.observe(frame);
  const showAll = (): void => {
    brushed.value = undefined;
  };
  frame.addEventListener('dblclick', showAll);
  const stop = effect(() => {
    void brushed.value;
    plot.redraw(true, true);
    // `setData` computes the scales again; a redraw alone would keep the old range.
    plot.setData(columns(data));
  });
  return {
    update(next) {
      data = next;
      plot.setData(columns(next));
    },
    destroy() {
      stop();
      resize.disconnect();
      // Observers and listeners hold the canvas alive; without this every visit leaks a plot.
      frame.removeEventListener('dblclick', showAll);
      plot.destroy();
    },
  };
}

/** Labels that differ from the one before: whole numbers between 0 and 1 would repeat. */
const withoutRepeats = (labels: readonly string[]): string[] =>
  labels.map((label, at) => (label === labels[at - 1] ? '' : label));

/** Vertical lines where the configuration changed or the gateway started. */
function drawMarks(plot: uPlot, marks: PlotData['marks']): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.strokeStyle = colourOf('mark');
  ctx.fillStyle = colourOf('mark');
  ctx.setLineDash([4, 4]);
  ctx.font = `${11 * devicePixelRatio}px sans-serif`;
  for (const { at, what } of marks) {
    const x = plot.valToPos(at / 1_000, 'x', true);
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    // Near the right edge the words stand to the left of their line.
    const isRight = x > bbox.left + bbox.width * 0.8;
    ctx.textAlign = isRight ? 'right' : 'left';
    ctx.fillText(what, x + (isRight ? -4 : 4), bbox.top + 12 * devicePixelRatio);
  }
  ctx.restore();
}
