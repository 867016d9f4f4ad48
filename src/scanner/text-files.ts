import { join, posix } from 'node:path';
import { readText } from './project/read-text.js';
import type { WalkedFiles } from './project/walk.js';

/** Files in which secrets and commands are found. */
const relevantName =
  /(?:^|\/)(?:package\.json|setup\.py|\.env(?:\.\w+)?|[\w.-]*\.env|[\w.-]*\.(?:ya?ml|toml|ini|cfg|conf|sh|bash|ps1|pth|properties))$/i;
/** Lock files contain hashes, which look like secrets. */
const lockFileName = /(?:^|\/)(?:package-lock|yarn|pnpm-lock|uv|poetry)(?:\.lock|\.json|\.yaml)?$/i;
/** Bounds of the number and size of such files. */
const maxTexts = 500;
const maxTextBytes = 300_000;

/** Reads non-code files that may contain secrets or commands: configuration, environment files, manifests, scripts. */
export function readTextFiles(walked: WalkedFiles): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const path of walked.files) {
    if (found.size >= maxTexts || !relevantName.test(path) || lockFileName.test(posix.basename(path))) continue;
    const read = readText(join(walked.root, path), maxTextBytes);
    if ('text' in read) found.set(path, read.text);
  }
  return found;
}
