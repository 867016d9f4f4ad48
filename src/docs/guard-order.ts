import { guardOrder } from '../guards/pipeline.js';

const lineLength = 128;
const nameColumn = 13;
const answersColumn = 72;

/** The order of the guards as one line of names, wrapped, for the README. */
export function guardChain(): string {
  const lines = ['door ▸ authenticate'];
  for (const name of [...guardOrder.map((guard) => guard.name), 'run']) {
    const longer = `${lines.at(-1)} ▸ ${name}`;
    if (longer.length <= lineLength) lines[lines.length - 1] = longer;
    else lines.push(`     ▸ ${name}`);
  }
  return lines.join('\n');
}

/** The guards with what each does and may answer, for the drawing in docs/architecture.md. */
export const guardLines = (): string =>
  guardOrder
    .map(({ name, does, answers }) => {
      const line = `   ${name.padEnd(nameColumn)}${does}`;
      return answers === '' ? line : `${line.padEnd(answersColumn)}── ${answers}`;
    })
    .join('\n');
