// Published servers that were chosen by name before they were looked at (scripts/accuracy/later.json), each scanned in a
// separate process, as the command line does it. Where a server answered `tools/list` without credentials, its names are recorded.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const one = fileURLToPath(new URL('./accuracy-scan-one.mjs', import.meta.url));
const timeoutMs = 180_000;

/** The report of a folder with what the scan used; undefined if it did not end in time. */
function scanOne(path) {
  try {
    const options = { maxBuffer: 1 << 28, timeout: timeoutMs, stdio: ['ignore', 'pipe', 'inherit'] };
    return JSON.parse(execFileSync(process.execPath, [one, path], options));
  } catch {
    return undefined;
  }
}

const isHigh = ({ kind, severity, suppressed }) =>
  kind === 'bug' && (severity === 'high' || severity === 'critical') && suppressed === undefined;
const at = (sorted, part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
const round = (value, digits) => Math.round(value * 10 ** digits) / 10 ** digits;

/** Verdicts, tools, high findings, names compared with live answers, CPU and memory of one registry's servers. */
export function later(title, servers, verbose) {
  const sum = {
    servers: 0,
    clean: 0,
    incomplete: 0,
    findings: 0,
    timedOut: 0,
    withoutTools: 0,
    cleanWithoutTools: 0,
    tools: 0,
    high: 0,
  };
  const live = { servers: 0, exact: 0, tools: 0, found: 0, extra: 0, missedInSilence: 0 };
  const [seconds, megabytes] = [[], []];
  for (const { key, server, path } of servers) {
    sum.servers += 1;
    const scanned = scanOne(path);
    if (!scanned) {
      sum.timedOut += 1;
      console.log(`${key}: no report in ${timeoutMs / 1_000} s`);
      continue;
    }
    const { report, used } = scanned;
    const { tools } = report.surface;
    seconds.push(used.cpu);
    megabytes.push(used.megabytes);
    sum[report.verdict] += 1;
    sum.tools += tools.length;
    if (tools.length === 0) sum.withoutTools += 1;
    if (tools.length === 0 && report.verdict === 'clean') sum.cleanWithoutTools += 1;
    const high = report.findings.filter(isHigh);
    sum.high += high.length;
    if (verbose) {
      console.log(
        `${key}: ${report.verdict}, ${tools.length} tools, ${round(used.cpu, 1)} s, ${Math.round(used.megabytes)} MB`,
      );
      for (const { rule, location, message } of high)
        console.log(`  HIGH ${rule} ${location.file}:${location.startLine} ${message}`);
    }
    if (server.tools) compare(key, server, report, live, verbose);
  }
  if (sum.servers === 0) return undefined;
  seconds.sort((one, other) => one - other);
  const figures = {
    ...sum,
    per100: round((100 * sum.high) / Math.max(1, sum.tools), 2),
    medianCpuSeconds: round(at(seconds, 0.5), 2),
    p95CpuSeconds: round(at(seconds, 0.95), 1),
    maxMegabytes: Math.round(Math.max(0, ...megabytes)),
    ...(live.servers === 0
      ? {}
      : {
          live: {
            ...live,
            recall: round((100 * live.found) / live.tools, 1),
            precision: round((100 * live.found) / Math.max(1, live.found + live.extra), 1),
          },
        }),
  };
  console.log(`${title}: ${JSON.stringify(figures)}`);
  return figures;
}

function compare(key, server, { surface, gaps }, live, verbose) {
  const wanted = new Set(server.tools);
  const got = new Set(surface.tools.map((tool) => tool.name));
  // Tools behind a setting are no wrong names.
  const optional = new Set(surface.optionalTools?.map((tool) => tool.name) ?? []);
  const missed = [...wanted].filter((name) => !got.has(name));
  const extra = [...got].filter((name) => !wanted.has(name) && !optional.has(name));
  live.servers += 1;
  live.tools += wanted.size;
  live.found += wanted.size - missed.length;
  live.extra += extra.length;
  if (missed.length + extra.length === 0) live.exact += 1;
  if (missed.length > 0 && surface.unresolved.length + gaps.length === 0) live.missedInSilence += 1;
  if (verbose && missed.length + extra.length > 0) console.log(`  missed [${missed}], extra [${extra}]`);
}
