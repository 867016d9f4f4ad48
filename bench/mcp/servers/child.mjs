/** Reports to the parent where this server listens and, on request, its CPU time so far. */
export function report(port) {
  process.on('message', (message) => {
    if (message === 'cost') {
      globalThis.gc?.();
      process.send({ cpu: process.cpuUsage(), rss: process.memoryUsage.rss(), heap: process.memoryUsage().heapUsed });
    }
  });
  process.on('disconnect', () => process.exit(0));
  process.send({ port });
}
