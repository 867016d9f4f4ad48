// npm run accuracy -- [--download] [--checkouts folder]… [--clones folder]… [--cache folder] [--only text] [--part held-out|later]… [--verbose]
//
// Measures the scanner and writes bench/results/accuracy.json: the tool surface (precision and recall of tool names,
// exact servers, descriptions, parameter names), findings (recall on labelled vulnerabilities, look-alikes flagged, pairs
// distinguished) and noise (high findings per 100 tools of published servers).
//
// The labels are beside this checkout in ../shared. Packages are read from the cache, and with --download fetched into it
// by `npm pack` and `pip download`, never run and never installed; scripts/accuracy/ names every package and version.
// Labelled repositories are read from <checkouts>/<owner>+<name> at their recorded commit, and repositories of advisories
// from clones at <clones>/<owner>+<name>. Absent inputs are reported in one line, and their figures stay unchanged.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { heldOut } from './accuracy-held-out.mjs';
import { later } from './accuracy-later.mjs';
import { labelled, silence } from './accuracy-findings.mjs';
import { advisories, twins } from './accuracy-pairs.mjs';
import { atCommit, checkedOut, packages } from './accuracy-places.mjs';
import { surface } from './accuracy-surface.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const data = join(root, '../shared/corpus/scan');
const results = join(root, 'bench/results/accuracy.json');
const { values } = parseArgs({
  options: {
    cache: { type: 'string', default: join(root, '.toolgate/accuracy') },
    checkouts: { type: 'string', multiple: true, default: [] },
    clones: { type: 'string', multiple: true, default: [] },
    download: { type: 'boolean', default: false },
    only: { type: 'string' },
    part: { type: 'string', multiple: true },
    verbose: { type: 'boolean', default: false },
  },
});
const { cache, verbose } = values;
const published = packages(cache, values.download);
const absent = [];
const json = (file) => JSON.parse(readFileSync(file, 'utf8'));
const labels = (name) => (existsSync(join(data, name)) ? json(join(data, name)) : {});

/** Servers with the folder they are in; how many are not here is said at the end. */
function placed(what, servers, place) {
  const wanted = Object.entries(servers).filter(([key]) => !values.only || key.includes(values.only));
  const here = wanted.flatMap(([key, server]) => {
    const path = place(server, key);
    return path && existsSync(path) ? [{ key, server, path }] : [];
  });
  if (here.length < wanted.length) absent.push(`${wanted.length - here.length} ${what}`);
  return here;
}

/** Servers that were run once and chosen before they were first scanned, with the tool names that they answered. */
const firstSeen = json(join(root, 'scripts/accuracy/unseen.json'));
const checkout = (repository) => checkedOut(values.checkouts, repository);
const { npm: onNpm, pypi: onPypi } = json(join(root, 'scripts/accuracy/published.json'));
const rows = json(join(root, 'scripts/accuracy/advisories.json')).filter(
  ({ id }) => !values.only || id.includes(values.only),
);
const npm = placed('npm servers (--download)', labels('npm-dev.json'), (server) =>
  published.npm(server.package, server.version),
);
const python = placed('Python servers (--checkouts)', labels('py-dev.json'), ({ repo, path }) => {
  const folder = checkout(repo);
  return folder && join(folder, path);
});
const unseen = {
  npm: placed('published npm packages (--download)', onNpm, (version, name) => published.npm(name, version)),
  pypi: placed('published PyPI packages (--download)', onPypi, (version, name) => published.pypi(name, version)),
};
const atFirst = {
  npm: placed('unseen npm servers (--download)', firstSeen.npm, ({ version }, name) => published.npm(name, version)),
  python: [
    ...placed('unseen PyPI servers (--download)', firstSeen.pypi, ({ version }, name) => published.pypi(name, version)),
    ...placed('unseen repositories (--clones)', firstSeen.repositories, (server) => {
      const folder = atCommit(values.clones, cache, server, server.commit);
      return folder && join(folder, server.path ?? '');
    }),
  ],
};
const faults = existsSync(data) ? [labels('vuln-dev.json'), labels('benign-dev.json')] : undefined;
if (!faults) absent.push('the labels in ../shared');
const homes = [...new Set((faults ?? []).flat().map(({ repo }) => repo))].filter((repo) => !checkout(repo));
if (homes.length > 0) absent.push(`${homes.length} labelled repositories (--checkouts)`);
const ofAdvisory = (row, version) =>
  row.pypi ? published.pypi(row.pypi, version) : atCommit(values.clones, cache, row, version);

const before = existsSync(results) ? json(results).figures : {};
/** New figures over those of an earlier run, group by group. */
const over = (old, fresh) => ({ ...old, ...Object.fromEntries(Object.entries(fresh).filter(([, value]) => value)) });
/** Figures of a set that was chosen before it was scanned: the first run stays beside the latest one. */
const sinceFirstSight = (old, now) => ({ firstSight: old?.firstSight ?? now, now });
const write = (figures) => {
  mkdirSync(dirname(results), { recursive: true });
  writeFileSync(results, `${JSON.stringify({ part: 'accuracy', command: 'npm run accuracy', figures }, null, 2)}\n`);
};
if (values.part) {
  const chosen = json(join(root, 'scripts/accuracy/later.json'));
  const laterOf = (kind) =>
    later(
      `${kind}, chosen later`,
      placed(`later ${kind} servers (--download)`, chosen[kind], ({ version }, name) => published[kind](name, version)),
      verbose,
    );
  const parts = {
    'held-out': async () => sinceFirstSight(before['held-out'], await heldOut(verbose)),
    // The first scan of these servers cannot be repeated, so the list records what it found.
    later: () => ({
      firstSight: chosen.firstSight,
      now: over(before.later?.now, { npm: laterOf('npm'), pypi: laterOf('pypi') }),
    }),
  };
  const figures = { ...before };
  for (const part of values.part) figures[part] = await parts[part]();
  write(figures);
  process.exit();
}
const figures = {
  // First sight is measured once: packages of fresh.json, latest.json, newest.json and the cases of labelled.json as they were scanned for the first time, and flows set aside before the change.
  ...(before.fresh && { fresh: before.fresh }),
  ...(before.later && { later: before.later }),
  ...(before.latest && { latest: before.latest }),
  ...(before.newest && { newest: before.newest }),
  ...(before.labelled && { labelled: before.labelled }),
  ...(before.oneStepFlows && { oneStepFlows: before.oneStepFlows }),
  surface: over(before.surface, {
    npm: await surface('npm', npm, verbose),
    python: await surface('Python', python, verbose),
    unseen: over(before.surface?.unseen, {
      npm: await surface('npm, chosen unseen', atFirst.npm, verbose),
      python: await surface('Python, chosen unseen', atFirst.python, verbose),
    }),
  }),
  ...over(
    { findings: before.findings, advisories: before.advisories },
    {
      findings: faults && (await labelled(...faults, checkout, verbose)),
      advisories: await advisories(rows, ofAdvisory, verbose),
    },
  ),
  'held-out': sinceFirstSight(before['held-out'], await heldOut(verbose)),
  twins: await twins(verbose),
  silence: over(before.silence, {
    npm: await silence('npm', npm, verbose),
    python: await silence('Python', python, verbose),
    published: await silence('published', [...unseen.npm, ...unseen.pypi], verbose),
  }),
};
const missing = rows.length - (figures.advisories?.pairs ?? 0);
if (missing > 0) absent.push(`${missing} advisories (--clones, --download)`);
if (absent.length > 0) console.log(`absent, figures kept from before: ${absent.join(', ')}`);
if (!values.only) write(figures);
