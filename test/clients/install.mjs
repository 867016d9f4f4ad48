// Brings the clients that are no npm packages of ours: the inspector beside this file, the Python ones into a cache folder.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inspector, python, venv } from './places.mjs';

const run = (command, args, cwd) => {
  const { status, error } = spawnSync(command, args, { cwd, stdio: 'inherit' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed${error ? `: ${error.message}` : ''}`);
};

if (!existsSync(inspector)) run('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock'], dirname(fileURLToPath(import.meta.url)));
if (!existsSync(python)) {
  mkdirSync(venv, { recursive: true });
  run('python3', ['-m', 'venv', venv]);
  run(`${venv}/bin/pip`, ['install', '--quiet', 'mcp==2.3.0', 'fastmcp==4.1.2']);
}
