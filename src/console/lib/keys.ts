import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/** A key of a page, shown by `?`. */
interface KeyBinding {
  /** `a`, `Enter`, or two keys in sequence: `g a`. */
  readonly keys: string;
  readonly does: string;
  run(): void;
}

/** One layer per mounted component; a signal, so that the help shows the keys that work now. */
const layers = signal<readonly (readonly KeyBinding[])[]>([]);
/** All keys that work now, those of the page last. */
export const activeKeys = (): readonly KeyBinding[] => layers.value.flat();

let pending = '';
let pendingUntil = 0;
/** How long the first key of a sequence waits for the second, in milliseconds. */
const sequenceMs = 1_200;

/** Binds keys while a component is shown; later ones win over earlier ones. */
export function useKeys(bindings: readonly KeyBinding[], when: readonly unknown[]): void {
  useEffect(() => {
    layers.value = [...layers.value, bindings];
    return () => {
      // By identity: equal bindings may be registered by another instance of the component.
      layers.value = layers.value.filter((layer) => layer !== bindings);
    };
  }, when);
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** Runs the binding of a key press; keys that are typed into a field are not commands. */
export function handleKey(event: KeyboardEvent): void {
  // Combinations with modifiers belong to the browser and to assistive technology.
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  // Escape must leave a field, or a keyboard user would be trapped in it.
  if (isTyping(event.target) && event.key !== 'Escape') return;
  // Enter and Space on a focused button or link already do what that element does.
  if (
    event.target instanceof Element &&
    /^(?:BUTTON|A|SUMMARY)$/.test(event.target.tagName) &&
    /^(?:Enter| )$/.test(event.key)
  )
    return;
  const sequence = pending !== '' && Date.now() < pendingUntil ? `${pending} ${event.key}` : event.key;
  const all = activeKeys();
  // The latest layer wins; an unfinished sequence falls back to the single key, so that `g` by mistake swallows nothing.
  const found = all.findLast(({ keys }) => keys === sequence) ?? all.findLast(({ keys }) => keys === event.key);
  pending = '';
  if (found) {
    event.preventDefault();
    found.run();
    return;
  }
  if (all.some(({ keys }) => keys.startsWith(`${event.key} `))) {
    pending = event.key;
    pendingUntil = Date.now() + sequenceMs;
  }
}
