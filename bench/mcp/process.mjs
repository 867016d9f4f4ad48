import { fork, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const place = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** Starts a server as a process of its own, so that its cost is its own. */
export async function started(path, args = []) {
  const child = fork(place(path), args, { execArgv: ['--expose-gc'], stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  const heard = () =>
    new Promise((resolve, reject) => {
      child.once('message', resolve);
      child.once('exit', (code) => reject(new Error(`${path} ended with ${code}`)));
    });
  const { port } = await heard();
  return {
    port,
    async cost() {
      const answer = heard();
      child.send('cost');
      return answer;
    },
    stop: () =>
      new Promise((resolve) => {
        child.removeAllListeners('exit');
        child.once('exit', resolve);
        child.kill('SIGKILL');
      }),
  };
}

const micros = ({ cpu }) => cpu.user + cpu.system;

/** CPU microseconds a call between two readings. */
export const perCall = (before, after, calls) => (micros(after) - micros(before)) / calls;

/** Sends lines to a stdio server with so many in flight; its stderr tells its cost. */
export function overPipe(path, calls, inFlight, line, answered) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [place(path)], { stdio: ['pipe', 'pipe', 'pipe'] });
    const costs = [];
    let next = 0;
    let done = 0;
    let rest = '';
    let began = 0;
    child.stderr.on('data', (chunk) => {
      for (const [, json] of String(chunk).matchAll(/cost (\{.+\})/g)) costs.push(JSON.parse(json));
    });
    const send = () => {
      let text = '';
      while (next < calls && next - done < inFlight) text += `${line(next++)}\n`;
      if (text !== '') child.stdin.write(text);
    };
    child.stdout.on('data', (chunk) => {
      rest += chunk;
      const lines = rest.split('\n');
      rest = lines.pop();
      for (const each of lines) {
        const problem = answered(each);
        if (problem) return reject(new Error(problem));
        done += 1;
      }
      if (done === calls) child.stdin.end();
      else send();
      return undefined;
    });
    child.on('exit', () => {
      const [first, last] = costs;
      if (!last) return reject(new Error(`${path} told no cost`));
      return resolve({ perSecond: Math.round((calls * 1_000) / (performance.now() - began)), cpuMicros: (last.user + last.system - first.user - first.system) / calls });
    });
    began = performance.now();
    send();
  });
}
