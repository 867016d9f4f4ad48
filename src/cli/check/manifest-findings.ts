import { basename, resolve } from 'node:path';
import type { ConfigFinding } from '../../config/lints/lint.js';
import type { Config } from '../../config/schema.js';
import { discoverManifests } from '../../sources/command/manifest/discovery.js';
import { riskyFlags } from '../../sources/command/manifest/risky-flags.js';

/** Warnings about flags of command manifests that write files, execute, listen or raise privileges. */
export async function manifestFindings({ commands }: Config, base: string): Promise<readonly ConfigFinding[]> {
  const folders = await Promise.all(commands.directories.map((folder) => discoverManifests(resolve(base, folder))));
  return folders.flatMap(({ definitions }) =>
    definitions.flatMap(({ manifest, origin }) =>
      riskyFlags(manifest).map(({ name, spelling, risk }) => ({
        rule: 'risky-flag',
        severity: 'warning' as const,
        path: 'commands.directories',
        // Only the file name: the folder is already in the path of the finding.
        message: `${basename(origin ?? '')}: flags.${name} (${spelling}) ${risk}`,
        hint: 'Remove the flag, or restrict it to a list of values',
      })),
    ),
  );
}
