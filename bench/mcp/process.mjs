import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export const place = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** Starts a server in a separate process, so that its CPU time is measured alone. */
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

/** Sends lines to a stdio server with a fixed number in flight, after a warm-up; the server reports its own CPU time before and after. */
export async function overPipe(path, { warm, calls, inFlight, line, answered }) {
  const child = spawn(process.execPath, [place(path)], { stdio: ['pipe', 'pipe', 'pipe'] });
  const gone = once(child, 'exit');
  const cost = async () => {
    child.kill('SIGUSR2');
    const [told] = await once(child.stderr, 'data');
    return { cpu: JSON.parse(String(told)) };
  };
  try {
    await exchange(child, { from: 0, calls: warm, inFlight, line, answered });
    const before = await cost();
    const began = performance.now();
    await exchange(child, { from: warm, calls, inFlight, line, answered });
    const tookMs = performance.now() - began;
    return { perSecond: Math.round((calls * 1_000) / tookMs), cpuMicros: perCall(before, await cost(), calls) };
  } finally {
    child.stdin.end();
    await gone;
  }
}

/** One load over a pipe, every answer checked; resolves with the last. */
export function exchange(child, { from, calls, inFlight, line, answered }) {
  return new Promise((resolve, reject) => {
    let sent = 0;
    let done = 0;
    let rest = '';
    const end = (problem) => {
      child.stdout.off('data', take);
      child.off('exit', lost);
      if (problem === undefined) resolve();
      else reject(new Error(problem));
    };
    const lost = () => end('the server ended');
    const send = () => {
      let text = '';
      for (; sent < calls && sent - done < inFlight; sent += 1) text += `${line(from + sent)}\n`;
      if (text !== '') child.stdin.write(text);
    };
    const take = (chunk) => {
      rest += chunk;
      const lines = rest.split('\n');
      rest = lines.pop();
      for (const each of lines) {
        const problem = answered(each);
        if (problem) return end(problem);
        done += 1;
      }
      return done === calls ? end() : send();
    };
    child.stdout.on('data', take);
    child.once('exit', lost);
    send();
  });
}
