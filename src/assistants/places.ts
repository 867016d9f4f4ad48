import { join } from 'node:path';

/** Folders and environment that decide where an assistant keeps its configuration. */
export interface Places {
  readonly home: string;
  readonly project: string;
  readonly platform: NodeJS.Platform;
  readonly env: NodeJS.ProcessEnv;
}

/** Folder of application data: `~/Library/Application Support`, `%APPDATA%` or `~/.config`. */
export const appData = ({ home, platform, env }: Places): string =>
  platform === 'darwin'
    ? join(home, 'Library', 'Application Support')
    : platform === 'win32'
      ? (env['APPDATA'] ?? join(home, 'AppData', 'Roaming'))
      : (env['XDG_CONFIG_HOME'] ?? join(home, '.config'));

/** Folder of configuration that programs from Unix use on macOS too. */
export const dotConfig = ({ home, platform, env }: Places): string =>
  platform === 'win32'
    ? (env['APPDATA'] ?? join(home, 'AppData', 'Roaming'))
    : (env['XDG_CONFIG_HOME'] ?? join(home, '.config'));

/** Folder of the user's settings of Visual Studio Code. */
export const codeUser = (places: Places): string => join(appData(places), 'Code', 'User');

/** Settings file of an extension of Visual Studio Code. */
export const codeExtension = (places: Places, extension: string, file: string): string =>
  join(codeUser(places), 'globalStorage', extension, 'settings', file);
