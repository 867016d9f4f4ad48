// The tool surface of a server from its source, compared with what it returned when it was run.
import { scanSurface } from '../dist/scanner/index.js';

// Recorded descriptions end at 2,000 characters, and white space is not what is measured.
const plain = (text) => (text ?? '').slice(0, 2_000).replace(/\s+/g, ' ').trim();
const sorted = (names) => [...names].sort().join();
const percent = (part, all) => (all === 0 ? 100 : Math.round((1_000 * part) / all) / 10);

/** Precision and recall of tool names, servers matched exactly, descriptions and parameter names equal. */
export async function surface(title, servers, verbose) {
  const sum = {
    found: 0,
    missed: 0,
    extra: 0,
    exact: 0,
    servers: 0,
    descriptions: 0,
    parameters: 0,
    compared: 0,
    silent: [],
    dynamic: 0,
    cpuMs: 0,
    bytes: 0,
  };
  for (const { key, server, path } of servers) {
    const before = process.cpuUsage();
    const report = await scanSurface(path, { heuristics: false });
    const used = process.cpuUsage(before);
    sum.cpuMs += (used.user + used.system) / 1_000;
    sum.bytes += report.bytes;
    if (server.notes?.startsWith('DYNAMIC')) {
      if (report.unresolved.length === 0) sum.silent.push(key);
      sum.dynamic += 1;
      continue;
    }
    const wanted = new Set(server.toolNames);
    const allowed = new Set([...wanted, ...(server.toolNamesUnion ?? []), ...(server.allowExtra ?? [])]);
    const got = new Set(report.tools.map((tool) => tool.name));
    const missed = [...wanted].filter((name) => !got.has(name));
    const extra = [...got].filter((name) => !allowed.has(name));
    sum.servers += 1;
    sum.found += wanted.size - missed.length;
    sum.missed += missed.length;
    sum.extra += extra.length;
    if (missed.length + extra.length === 0) sum.exact += 1;
    if (missed.length > 0 && report.unresolved.length === 0) sum.silent.push(key);
    if (verbose && missed.length + extra.length > 0) console.log(`${key}: missed [${missed}], extra [${extra}]`);
    compareTools(key, server.tools, report.tools, sum, verbose);
  }
  if (sum.servers === 0) return undefined;
  const figures = {
    servers: sum.servers,
    exact: sum.exact,
    precision: percent(sum.found, sum.found + sum.extra),
    recall: percent(sum.found, sum.found + sum.missed),
    ...(sum.compared === 0
      ? { tools: sum.found + sum.missed, dynamic: sum.dynamic }
      : { tools: sum.compared, descriptions: sum.descriptions, parameters: sum.parameters }),
    missedInSilence: sum.silent.length,
  };
  console.log(
    `${title}: precision ${figures.precision} %, recall ${figures.recall} %, servers exact ${sum.exact} of ${sum.servers}, ` +
      `${sum.dynamic} made at run time, descriptions equal ${sum.descriptions} of ${sum.compared}, parameter names equal ${sum.parameters} of ${sum.compared}, ` +
      `missed in silence ${sum.silent.length ? sum.silent.join(', ') : 'none'}, ${(sum.bytes / 1_000 / sum.cpuMs).toFixed(1)} MB/s a core`,
  );
  return figures;
}

function compareTools(key, recorded = [], read, sum, verbose) {
  for (const tool of recorded) {
    const same = read.find((each) => each.name === tool.name);
    if (!same) continue;
    sum.compared += 1;
    const [description, parameters] = [
      plain(same.description) === plain(tool.description),
      sorted(Object.keys(same.schema?.properties ?? {})) === sorted(tool.params),
    ];
    if (description) sum.descriptions += 1;
    if (parameters) sum.parameters += 1;
    if (verbose && !(description && parameters))
      console.log(
        `${key}: ${tool.name}: ${[description || 'description', parameters || 'parameters'].filter((each) => each !== true).join(' and ')} differ`,
      );
  }
}
