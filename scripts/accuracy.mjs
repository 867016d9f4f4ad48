// npm run accuracy -- [--checkouts folder]… [--cache folder] [--only text] [--verbose]
//
// Measures the scanner against servers whose real answers were recorded and against labelled findings, and writes
// bench/results/accuracy.json: precision and recall of tool names; recall of findings, look-alikes flagged; high findings
// per 100 tools of real servers.
//
// npm servers are fetched with `npm pack` into the cache (never run, never installed). Repositories are read from
// <checkouts>/<owner>+<name>, each checked out at its recorded commit; those that are in none of the folders are left out.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { labelled, silence } from './accuracy-findings.mjs';
import { surface } from './accuracy-surface.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const data = join(root, '../shared/corpus/scan');
const { values } = parseArgs({
  options: {
    cache: { type: 'string', default: join(root, '.toolgate/accuracy') },
    checkouts: { type: 'string', multiple: true, default: [] },
    only: { type: 'string' },
    verbose: { type: 'boolean', default: false },
  },
});
const read = (name) => JSON.parse(readFileSync(join(data, name), 'utf8'));

/** The folder of a repository, or undefined where it is not on this machine. */
const checkout = (repo) =>
  values.checkouts.map((folder) => join(folder, repo.replace('/', '+'))).find((folder) => existsSync(folder));

function packed(key, { package: name, version }) {
  const folder = join(values.cache, key);
  if (existsSync(join(folder, 'package'))) return join(folder, 'package');
  mkdirSync(folder, { recursive: true });
  execFileSync('npm', ['pack', `${name}@${version}`, '--silent', '--ignore-scripts'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const archive = readdirSync(folder).find((file) => file.endsWith('.tgz'));
  execFileSync('tar', ['xzf', archive], { cwd: folder });
  return join(folder, 'package');
}

/** Servers with the folder they are in; those that are not here are told and left out. */
function placed(servers, place) {
  return Object.entries(servers)
    .filter(([key]) => !values.only || key.includes(values.only))
    .flatMap(([key, server]) => {
      const path = place(key, server);
      if (path && existsSync(path)) return [{ key, server, path }];
      console.log(`left out: ${key} is not on this machine`);
      return [];
    });
}

if (!existsSync(data)) {
  console.log('skipped: the labelled servers are not beside this checkout');
} else {
  const npm = placed(read('npm-dev.json'), packed);
  const python = placed(read('py-dev.json'), (_key, server) => {
    const folder = checkout(server.repo);
    return folder && join(folder, server.path);
  });
  const figures = {
    surface: {
      npm: await surface('npm', npm, values.verbose),
      python: await surface('Python', python, values.verbose),
    },
    findings: await labelled(read('vuln-dev.json'), read('benign-dev.json'), checkout, values.verbose),
    silence: {
      npm: await silence('npm', npm, values.verbose),
      python: await silence('Python', python, values.verbose),
    },
  };
  if (!values.only) {
    mkdirSync(join(root, 'bench/results'), { recursive: true });
    writeFileSync(
      join(root, 'bench/results/accuracy.json'),
      `${JSON.stringify({ part: 'accuracy', command: 'npm run accuracy', figures }, null, 2)}\n`,
    );
  }
}
