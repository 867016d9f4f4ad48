import { statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { resolveProgram } from '../../processes/index.js';
import type { EntryFinding } from '../kind.js';
import type { LaunchCommand } from './channels/local-channel.js';
import type { McpConfig } from './config.js';

const interpreter = /^(?:node|nodejs|python(?:\d(?:\.\d+)?)?)$/;

/** Why a command cannot be started: its program or the script of its interpreter does not exist; undefined if both are there. */
export async function missingProgram(command: LaunchCommand, cwd: string): Promise<string | undefined> {
  const found = await resolveProgram(command.program);
  const name = basename(command.program);
  if (found.kind === 'problem' && found.reason === 'not_found')
    return `${name} is not installed${command.program.startsWith('/') ? `: ${isThere(command.program) ? 'the file is not executable' : 'no such file'}` : ''}`;
  const [script = ''] = command.args;
  if (!interpreter.test(name) || script === '' || script.startsWith('-') || isThere(resolve(cwd, script)))
    return undefined;
  return `its script ${basename(script)} does not exist`;
}

const isThere = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined;

/** Finding about a local server whose program or script is not on this machine; packages and containers come from elsewhere. */
export async function programFindings(
  { command, runtime, args, package: packaged, cwd }: McpConfig,
  base: string,
): Promise<readonly EntryFinding[]> {
  const interpreters = { node: process.execPath, python: 'python3' };
  const program = command ?? (runtime === 'node' || runtime === 'python' ? interpreters[runtime] : undefined);
  if (program === undefined || packaged !== undefined) return [];
  const missing = await missingProgram({ program, args }, cwd === undefined ? base : resolve(base, cwd));
  if (missing === undefined) return [];
  return [
    {
      rule: 'missing-program',
      severity: 'warning',
      key: missing.startsWith('its script') ? 'args' : command === undefined ? 'runtime' : 'command',
      message: `cannot be started here: ${missing}`,
      hint: 'Install it, or correct the path; relative scripts are searched beside the configuration file',
    },
  ];
}
