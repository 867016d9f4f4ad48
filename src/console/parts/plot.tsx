import { useEffect, useRef } from 'preact/hooks';
import { signal } from '@preact/signals';
import { theme } from '../lib/theme.js';
import { Text } from './text.js';

export type PlotColour = 'accent' | 'good' | 'attention' | 'bad' | 'unknown' | 'mark' | 'text';

export interface PlotSeries {
  readonly label: string;
  readonly colour: PlotColour;
  readonly values: readonly (number | null)[];
}

export interface PlotData {
  readonly title: string;
  /** One unit per axis. */
  readonly unit: string;
  /** Milliseconds since the epoch. */
  readonly times: readonly number[];
  readonly from: number;
  readonly to: number;
  readonly series: readonly PlotSeries[];
  readonly marks: readonly { readonly at: number; readonly what: string }[];
  readonly format: (value: number) => string;
}

/** Time range chosen with the mouse, shared by all plots of a page; undefined shows all. */
export const brushed = signal<{ readonly from: number; readonly to: number } | undefined>(undefined);

const lastValue = (values: readonly (number | null)[]): number | null => values.at(-1) ?? null;
const largest = (values: readonly (number | null)[]): number | null =>
  // Not `Math.max(...values)`: an hour of points as arguments is slow, and null would count as zero.
  values.reduce<number | null>((most, each) => (each !== null && (most === null || each > most) ? each : most), null);

/** A plot over time with its numbers as text; the code that draws is loaded with the first plot. */
export function Plot(data: PlotData) {
  const frame = useRef<HTMLDivElement>(null);
  const drawn = useRef<{ update(next: PlotData): void; destroy(): void } | undefined>(undefined);
  // The canvas code loads asynchronously; it must draw the data of that moment and not of the first render.
  const latest = useRef(data);
  latest.current = data;
  const scheme = theme.value;
  const labels = data.series.map(({ label }) => label).join('\n');
  useEffect(() => {
    let isGone = false;
    void import('./plot-canvas.js').then(({ drawPlot }) => {
      // The component may be unmounted before the chunk has loaded.
      if (isGone || frame.current === null) return;
      drawn.current = drawPlot(frame.current, latest.current);
    });
    return () => {
      isGone = true;
      drawn.current?.destroy();
      drawn.current = undefined;
    };
    // Colours are read once, so another scheme needs another plot; so do other lines.
  }, [scheme, labels]);
  useEffect(() => drawn.current?.update(data));
  const show = (value: number | null): string => (value === null ? '–' : data.format(value));
  return (
    <figure class="plot" aria-label={data.title}>
      <figcaption>
        <span>{data.title}</span> <span class="note">{data.unit}</span>
      </figcaption>
      <div class="plot-frame" ref={frame} aria-hidden="true" />
      <table class="plot-numbers">
        <thead class="visually-hidden">
          <tr>
            <th scope="col">Line</th>
            <th scope="col">Last</th>
            <th scope="col">Highest</th>
          </tr>
        </thead>
        <tbody>
          {data.series.map(({ label, colour, values }) => (
            <tr key={label}>
              <th scope="row">
                <span class={`swatch ${colour}`} aria-hidden="true" /> <Text>{label}</Text>
              </th>
              <td class="number">{show(lastValue(values))}</td>
              <td class="number note">max {show(largest(values))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
}
