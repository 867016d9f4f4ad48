import { join, posix } from 'node:path';
import { readText } from './project/read.js';
import type { Walked } from './project/walk.js';

const interesting =
  /(?:^|\/)(?:package\.json|setup\.py|\.env(?:\.\w+)?|[\w.-]*\.env|[\w.-]*\.(?:ya?ml|toml|ini|cfg|conf|sh|bash|ps1|pth|properties))$/i;
const boring = /(?:^|\/)(?:package-lock|yarn|pnpm-lock|uv|poetry)(?:\.lock|\.json|\.yaml)?$/i;
const maxTexts = 500;
const maxBytes = 300_000;

/** Files that are no code but may hold secrets or commands: settings, environment files, manifests, scripts. */
export function readTexts(walked: Walked): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const path of walked.files) {
    if (found.size >= maxTexts || !interesting.test(path) || boring.test(posix.basename(path))) continue;
    const read = readText(join(walked.root, path), maxBytes);
    if ('text' in read) found.set(path, read.text);
  }
  return found;
}
