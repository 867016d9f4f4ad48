/** Reads a secret: from a prompt without echo if stdin is a terminal, else everything on stdin. */
export async function readSecret(
  question: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<{ readonly text: string } | { readonly problem: string }> {
  const text = process.stdin.isTTY ? await promptHidden(question, signal) : await readAll(maxBytes, signal);
  if (text === undefined)
    return { problem: signal.aborted ? 'interrupted' : `the value is longer than ${maxBytes} bytes` };
  // The newline that a prompt or `echo` appends is not part of the secret.
  const value = text.replace(/\r?\n$/, '');
  if (value === '') return { problem: 'the value is empty; nothing was stored' };
  return Buffer.byteLength(value) > maxBytes
    ? { problem: `the value is longer than ${maxBytes} bytes` }
    : { text: value };
}

/** All of stdin, or undefined if it is longer than the bound or interrupted. */
async function readAll(maxBytes: number, signal: AbortSignal): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const stop = (): void => void process.stdin.destroy();
  signal.addEventListener('abort', stop, { once: true });
  try {
    for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      // Two bytes of slack for the newline, which does not count.
      if (bytes > maxBytes + 2) return undefined;
      chunks.push(chunk);
    }
  } catch {
    return undefined;
  } finally {
    signal.removeEventListener('abort', stop);
  }
  return signal.aborted ? undefined : Buffer.concat(chunks).toString('utf8');
}

/** One line from the terminal in raw mode, so that nothing is echoed. */
function promptHidden(question: string, signal: AbortSignal): Promise<string | undefined> {
  const { stdin, stderr } = process;
  stderr.write(question);
  return new Promise((resolve) => {
    let text = '';
    const finish = (value: string | undefined): void => {
      // Echo comes back on every way out, or the shell would stay without it.
      stdin.setRawMode(false);
      stdin.pause();
      stdin.off('data', onData);
      stderr.write('\n');
      resolve(value);
    };
    const onData = (chunk: Buffer): void => {
      for (const char of chunk.toString('utf8')) {
        if (char === '\r' || char === '\n') return finish(text);
        // Ctrl-C and Ctrl-D arrive as characters, because raw mode turns off the signals of the terminal.
        if (char === '\u0003' || char === '\u0004') return finish(undefined);
        // Backspace and Delete: raw mode also turns off line editing.
        text = char === '\u007f' || char === '\b' ? text.slice(0, -1) : text + char;
      }
    };
    signal.addEventListener('abort', () => finish(undefined), { once: true });
    stdin.setRawMode(true);
    stdin.resume();
    stdin.on('data', onData);
  });
}
