import { closeSync, readdirSync, readFileSync } from 'node:fs';

const closeOnExec = 0o2000000;

/**
 * Closes every descriptor above stderr that a child would inherit: whoever started the gateway may have left files
 * open, and a tool must not find them. What Node opened itself is close-on-exec and stays.
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
      // The descriptor of the listing itself is gone by now.
    }
  }
}
