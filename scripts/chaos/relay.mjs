import { connect, createServer } from 'node:net';

/** A relay in front of a local port that can reset every connection through it, as a dying host or a firewall does. */
export async function resettableRelay(port) {
  const open = new Set();
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ]) {
      open.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        open.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const reset = () => {
    for (const socket of open) socket.resetAndDestroy();
  };
  return {
    port: server.address().port,
    reset,
    close: () => {
      server.close();
      reset();
    },
  };
}
