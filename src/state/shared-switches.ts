import type { SharedCopy } from './shared-copy.js';

/** Switches of administrators that all replicas follow; the last one wins. */
interface SharedSwitches {
  /** Stores a switch for the other replicas; it stays local if the store is down, which is reported. */
  set(name: string, isOn: boolean): void;
}

export function sharedSwitches(
  copy: SharedCopy,
  {
    apply,
    onProblem,
  }: {
    /** Called for every stored switch and for each change of another replica. */
    readonly apply: (name: string, isOn: boolean) => void;
    readonly onProblem: (name: string, error: unknown) => void;
  },
): SharedSwitches {
  const applyAll = (names: Iterable<string>): void => {
    for (const name of names) {
      const value = copy.entries().get(name);
      if (value !== undefined) apply(name, value !== off);
    }
  };
  // Switches that were set before this replica started.
  applyAll(copy.entries().keys());
  copy.onChange(applyAll);
  return {
    set: (name, isOn) => void copy.change(name, () => (isOn ? on : off)).catch((error) => onProblem(name, error)),
  };
}

const on = 'on';
const off = 'off';
