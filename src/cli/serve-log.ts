import { readFileSync } from 'node:fs';
import { environmentLayer, flagsLayer } from '../config/layers.js';
import type { LoadedConfig } from '../config/load.js';
import { yamlFile } from '../config/yaml-file.js';
import { log as makeLog, type Log } from '../observe/log/log.js';
import type { Io } from './io.js';
import { allowsColour } from './terminal.js';

/** The log of a gate: as configured, and without a configured format text on a terminal and JSON elsewhere. */
export function serveLog({ config, file }: LoadedConfig, argv: readonly string[], io: Io): Log {
  // Only a format that the operator set is kept: the default of the configuration is `json` and would hide that nothing was
  // set.
  const isGiven =
    environmentLayer(io.env).values.has('log.format') || flagsLayer(argv).values.has('log.format') || isInFile(file);
  const log = makeLog({
    level: config.log.level,
    format: isGiven ? config.log.format : 'auto',
    isTerminal: io.showsProgress,
    colour: allowsColour(io.showsProgress, io.env),
  });
  // A reload brings the default again.
  return isGiven
    ? log
    : {
        ...log,
        configure: ({ level, format }) => log.configure({ level, format: format === 'json' ? 'auto' : format }),
      };
}

/** Whether the configuration file sets `log.format`; an unreadable file is reported by the load, not here. */
function isInFile(file: string | undefined): boolean {
  if (file === undefined) return false;
  try {
    const read = yamlFile(readFileSync(file, 'utf8'), file);
    const value = read.ok ? (read.file.value as { readonly log?: { readonly format?: unknown } } | null) : null; // checked at load
    return value?.log?.format !== undefined;
  } catch {
    return false;
  }
}
