import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';

/** A real DNS server on loopback whose answer for IPv4 is chosen anew at every question. */
export async function tinyDns(answer: (name: string, question: number) => readonly string[]): Promise<{
  readonly lookUp: (name: string) => Promise<readonly string[]>;
  readonly questions: () => number;
  readonly close: () => void;
}> {
  const socket = createSocket('udp4');
  let questions = 0;
  socket.on('message', (message, peer) => {
    const { name, end } = questionOf(message);
    questions += 1;
    const addresses = answer(name, questions);
    const header = Buffer.from(message.subarray(0, 12));
    header.writeUInt16BE(0x8180, 2);
    header.writeUInt16BE(addresses.length, 6);
    header.writeUInt32BE(0, 8);
    const records = addresses.map((address) =>
      Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)]),
    );
    socket.send(Buffer.concat([header, message.subarray(12, end), ...records]), peer.port, peer.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  const resolver = new Resolver({ timeout: 2_000, tries: 3 });
  resolver.setServers([`127.0.0.1:${socket.address().port}`]);
  return { lookUp: (name) => resolver.resolve4(name), questions: () => questions, close: () => socket.close() };
}

function questionOf(message: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.'), end: at + 5 };
}
