import { spawn } from 'node:child_process';

/** Opener of each platform; none of them is a shell, so the address is not interpreted. */
const openers: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Opens an address that this program made in the user's browser, or in `BROWSER`; false if no opener could be started. */
export function openBrowser(address: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const chosen = env['BROWSER'];
  const [program = '', ...args] = chosen ? [chosen] : (openers[process.platform] ?? ['xdg-open']);
  return new Promise((resolve) => {
    const child = spawn(program, [...args, address], { stdio: 'ignore', detached: true });
    child.once('error', () => resolve(false));
    // An opener that ends at once with a failure found no browser; one that stays is the browser itself.
    const timer = setTimeout(() => resolve(true), 1_000);
    child.once('exit', (code) => {
      clearTimeout(timer);
      resolve(code === 0);
    });
    child.unref();
  });
}
