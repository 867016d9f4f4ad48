// `npm start`: serves over HTTP until npm goes away. npm runs scripts below a shell that does not forward signals, so the
// gateway would outlive a killed npm; it watches both ancestors instead and shuts down in order when one is gone.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const watchMs = 500;

const parent = process.ppid;
const grandparent = parentOf(parent);
const isGone = (pid) => {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
};
setInterval(() => {
  if (process.ppid === parent && (grandparent === undefined || !isGone(grandparent))) return;
  process.kill(process.pid, 'SIGTERM');
}, watchMs).unref();

process.argv = [process.execPath, join(root, 'dist/cli.js'), 'serve', '--http', ...process.argv.slice(2)];
await import(pathToFileURL(process.argv[1]).href);

/** The parent of a process where the system shows it; undefined for init, which never goes. */
function parentOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const found = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    return found > 1 ? found : undefined;
  } catch {
    return undefined;
  }
}
