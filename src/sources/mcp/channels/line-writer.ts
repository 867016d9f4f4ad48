/** Bytes go to a process that accepts writes; resolves when more may follow. */
interface WriteTarget {
  write(text: string): Promise<unknown>;
}

const maxPendingWrites = 256;

/** Writes lines to a process. Lines of one event-loop turn become one write: under load the system calls dominate. */
export function lineWriter(target: () => WriteTarget | undefined) {
  let buffer = '';
  let pending = 0;
  const flush = (): void => {
    const text = buffer;
    buffer = '';
    const process = target();
    if (process === undefined || text === '') return;
    pending += 1;
    void process.write(text).then(() => (pending -= 1));
  };
  return {
    send(text: string): void {
      if (buffer === '') setImmediate(flush);
      buffer += `${text}\n`;
    },
    /** Backpressure: true if the process does not read its input, which must not grow our buffer. */
    isFull: () => pending >= maxPendingWrites,
  };
}
