import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** A registry package, and the programs that can download its archive. */
interface Package {
  readonly spec: string;
  readonly programs: readonly string[];
  /** Arguments that download the archive into a folder without running package scripts. */
  readonly argumentsFor: (folder: string) => readonly string[];
  readonly hint: string;
}

/** Names as npm defines them: neither a leading dash (argument injection) nor `..` (path traversal) can match. */
const npmSpec = /^npm:((?:@[a-z0-9~][a-z0-9._~-]*\/)?[a-z0-9~][a-z0-9._~-]*)(?:@([A-Za-z0-9][A-Za-z0-9.+-]*))?$/;
/** Names and versions of PEP 508 and PEP 440, with the same purpose. */
const pypiSpec = /^pypi:([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)(?:==([A-Za-z0-9][A-Za-z0-9.!+-]*))?$/;
/** A registry that answers slower than this counts as unreachable. */
const downloadTimeoutMs = 180_000;

/** Parses `npm:name@version` and `pypi:name==version`; the strict patterns prevent argument injection. */
export function packageOf(spec: string): Package | undefined {
  const npm = npmSpec.exec(spec);
  if (npm) return npmPackage(spec, `${npm[1]}@${npm[2] ?? 'latest'}`);
  const pypi = pypiSpec.exec(spec);
  return pypi ? pypiPackage(spec, `${pypi[1]}${pypi[2] === undefined ? '' : `==${pypi[2]}`}`) : undefined;
}

function npmPackage(spec: string, wanted: string): Package {
  // --ignore-scripts: `prepare` and `prepack` of the package would otherwise run with the rights of the user.
  const fixed = ['pack', '--ignore-scripts', '--loglevel=error'];
  return {
    spec,
    programs: ['npm'],
    argumentsFor: (folder) => [...fixed, '--pack-destination', folder, wanted],
    hint: '',
  };
}

function pypiPackage(spec: string, wanted: string): Package {
  // Wheels only: preparing a source distribution would run its setup script.
  const wheels = ['download', '--no-deps', '--only-binary=:all:', '--ignore-requires-python'];
  const quiet = ['--quiet', '--disable-pip-version-check', '--no-input'];
  return {
    spec,
    programs: ['pip', 'pip3'],
    argumentsFor: (folder) => [...wheels, ...quiet, '--dest', folder, wanted],
    hint: ' (only wheels are downloaded, because pip would run the setup script of a source distribution; download it yourself and pass the file)',
  };
}

/** Downloads the archive of a package into a folder; returns the reason on failure. */
export async function download(
  wanted: Package,
  folder: string,
  signal: AbortSignal,
): Promise<{ readonly refused: string } | undefined> {
  for (const program of wanted.programs) {
    try {
      // A bounded buffer: progress output of the program must not fill memory.
      const limits = { cwd: folder, timeout: downloadTimeoutMs, signal, maxBuffer: 4_000_000 };
      await promisify(execFile)(program, [...wanted.argumentsFor(folder)], limits);
      return undefined;
    } catch (error) {
      // `pip` is called `pip3` on some systems; only a missing program is a reason to try the next.
      if (isNotInstalled(error)) continue;
      return { refused: `${program} could not download ${wanted.spec}: ${failureReason(error)}${wanted.hint}` };
    }
  }
  return { refused: `${wanted.programs[0]} is needed to download ${wanted.spec} and is not installed` };
}

function isNotInstalled(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/** The error line of npm or pip, without control characters (terminal injection). */
function failureReason(error: unknown): string {
  if (error instanceof Error && 'killed' in error && error.killed === true)
    return `it took longer than ${downloadTimeoutMs / 1000} s`;
  const stderr = error instanceof Error && 'stderr' in error ? String(error.stderr) : '';
  const lines = stderr
    .split('\n')
    .map((line) => line.replace(/[^\x20-\x7e]+/g, ' ').trim())
    .filter((line) => /^(?:npm error|ERROR:)/.test(line) && !line.startsWith('npm error code '));
  // npm prints the reason first and advice after it; pip prints the reason last.
  const line = lines.find((line) => line.startsWith('npm error')) ?? lines.at(-1);
  return line?.replace(/^(?:npm error|ERROR:)\s*/, '').slice(0, 300) ?? 'it gave no reason';
}
