import { signal } from '@preact/signals';

/** Current time, once a second, for ages and countdowns; stands still while the tab is hidden. */
export const clock = signal(Date.now());
setInterval(() => {
  if (!document.hidden) clock.value = Date.now();
}, 1_000);

/** Age of a time in one unit: `3 s ago`, `in 2 min`. */
export function ago(at: number, now: number): string {
  const seconds = Math.round((now - at) / 1_000);
  const text = span(Math.abs(seconds));
  if (Math.abs(seconds) < 1) return 'now';
  return seconds < 0 ? `in ${text}` : `${text} ago`;
}

/** Seconds in the largest unit that fits. */
export function span(seconds: number): string {
  // Thresholds lie above one unit (100 s, 90 min, 36 h), so that a text does not lose half of its precision at once.
  if (seconds < 100) return `${Math.round(seconds)} s`;
  if (seconds < 5_400) return `${Math.round(seconds / 60)} min`;
  if (seconds < 129_600) return `${Math.round(seconds / 3_600)} h`;
  return `${Math.round(seconds / 86_400)} d`;
}

/** Milliseconds as people read them: 40 µs, 3.2 ms, 12 s. */
export function duration(ms: number): string {
  if (ms < 1) return `${Math.round(ms * 1_000)} µs`;
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  return `${Math.round(ms / 60_000)} min`;
}

/** A whole number, compact above ten thousand so that columns keep their width: `12K`. */
export function count(value: number): string {
  return value < 10_000 ? String(Math.round(value)) : value.toLocaleString('en-US', { notation: 'compact' });
}

/** Minutes and seconds left: 4:09. */
export function countdown(ms: number): string {
  const left = Math.max(0, Math.ceil(ms / 1_000));
  return `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`;
}

/** Local date and time, for the hover text and the detail. */
export const exactTime = (at: number): string => `${new Date(at).toLocaleString()} (${new Date(at).toISOString()})`;

export const timeOfDay = (at: number): string => new Date(at).toLocaleTimeString([], { hour12: false });
