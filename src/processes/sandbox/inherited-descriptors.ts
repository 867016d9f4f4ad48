import { closeSync, readdirSync, readFileSync } from 'node:fs';

const closeOnExec = 0o2000000;

/**
 * Closes every descriptor above stderr that children would inherit: the parent of the gateway may have left files open,
 * and a program must not read them (descriptor leak). Descriptors opened by Node are close-on-exec and stay open.
 */
export function closeInherited(): void {
  let names: readonly string[];
  try {
    names = readdirSync('/proc/self/fd');
  } catch {
    return; // not Linux
  }
  for (const name of names) {
    const descriptor = Number(name);
    if (descriptor <= 2) continue;
    try {
      const flags = /^flags:\s+(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${name}`, 'latin1'))?.[1];
      if (flags !== undefined && (Number.parseInt(flags, 8) & closeOnExec) === 0) closeSync(descriptor);
    } catch {
      // The descriptor that listed the folder is already closed.
    }
  }
}
