// Brings the clients and servers that are no npm packages of ours: the inspector beside this file, the Python ones into cache folders.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inspector, python, serversPython, serversVenv, uv, venv } from './places.mjs';

const run = (command, args, cwd) => {
  const { status, error } = spawnSync(command, args, { cwd, stdio: 'inherit' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed${error ? `: ${error.message}` : ''}`);
};

if (!existsSync(inspector))
  run('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock'], dirname(fileURLToPath(import.meta.url)));
const environment = (folder, packages) => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  run('python3', ['-m', 'venv', folder]);
  run(`${folder}/bin/pip`, ['install', '--quiet', ...packages]);
};
if (!existsSync(python)) environment(venv, ['mcp==2.3.0', 'fastmcp==4.1.2', 'sarif-pydantic==0.6.2']);
if (!existsSync(serversPython) || !existsSync(uv))
  environment(serversVenv, [
    'mcp==2.3.0',
    'fastmcp==4.1.2',
    'mcp-server-time==2026.10.19',
    'mcp-server-git==2026.10.19',
    'uv==0.13.7',
  ]);
