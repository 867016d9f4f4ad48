const maxSummaryLines = 3;

/** The lines of a server's stderr that name the problem, as one line: the last error of a stack trace, else the last lines. */
export function stderrSummary(stderr: string): string {
  const lines = stderr
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const named = lines.findLast((line) => /^(?:[\w.]*(?:Error|Exception)|error|fatal|panic)\b[^:]*: ./i.test(line));
  return named ?? lines.slice(-maxSummaryLines).join(' | ');
}
