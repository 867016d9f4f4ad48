import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** Name of the configuration file, in a working directory and in the folder of the user. */
export const configFileName = 'toolgate.yaml';

/** The user's configuration file: read if neither `--config` nor the working directory names one, and written by `toolgate add`. */
export function userConfigFile(env: NodeJS.ProcessEnv, platform: NodeJS.Platform = process.platform): string {
  return join(userConfigFolder(env, platform), 'toolgate', configFileName);
}

/** Folder of per-user configuration. A relative `XDG_CONFIG_HOME` is ignored, as its specification demands. */
function userConfigFolder(env: NodeJS.ProcessEnv, platform: NodeJS.Platform = process.platform): string {
  const configured = env['XDG_CONFIG_HOME'];
  if (configured !== undefined && isAbsolute(configured)) return configured;
  const home = env['HOME'] || homedir();
  if (platform !== 'win32') return join(home, '.config');
  return env['APPDATA'] || join(env['USERPROFILE'] || home, 'AppData', 'Roaming');
}
