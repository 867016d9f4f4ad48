// npm run release: makes release/ with the package, its SBOM (CycloneDX) and checksums. The package is built and packed twice, in
// two clones, and must have the same hash both times.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync, copyFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const target = join(root, 'release');

function run(command, args, cwd) {
  const { status, stdout, error } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status === 0) return stdout;
  process.stderr.write(
    `${command} ${args.join(' ')} failed${error ? `: ${error.message}` : ` with exit code ${status}`}\n`,
  );
  process.exit(1);
}

const sha256 = (file) => createHash('sha256').update(readFileSync(file)).digest('hex');

/** Packs the committed state from a fresh clone; the folder differs, so that no path can slip into the package. */
function pack(name) {
  const folder = mkdtempSync(join(tmpdir(), `toolgate-${name}-`));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const clone = join(folder, 'clone');
  run('git', ['clone', '--quiet', '--no-hardlinks', root, clone], folder);
  run('npm', ['ci', '--no-audit', '--no-fund', '--silent'], clone);
  run(process.execPath, ['scripts/build.mjs'], clone);
  run('npm', ['pack', '--silent', '--pack-destination', folder], clone);
  const file = readdirSync(folder).find((entry) => entry.endsWith('.tgz'));
  return { clone, file: join(folder, file), name: file };
}

const [first, second] = [pack('first'), pack('second')];
if (sha256(first.file) !== sha256(second.file)) {
  process.stderr.write('Two builds of the same commit differ: the package is not reproducible\n');
  process.exit(1);
}
rmSync(target, { recursive: true, force: true });
mkdirSync(target);
copyFileSync(first.file, join(target, first.name));
const sbom = JSON.parse(run('npm', ['sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev'], first.clone));
// The serial number and the time of the run would make the file differ each time.
delete sbom.serialNumber;
delete sbom.metadata?.timestamp;
writeFileSync(join(target, 'sbom.cdx.json'), `${JSON.stringify(sbom, null, 2)}\n`);
const sums = readdirSync(target)
  .sort()
  .map((file) => `${sha256(join(target, file))}  ${file}\n`);
writeFileSync(join(target, 'SHA256SUMS'), sums.join(''));
process.stdout.write(`Built twice with the same hash:\n${sums.join('')}`);
