// The floor: node:http that parses JSON and sends it back.
import { createServer } from 'node:http';

const server = createServer((req, res) => {
  const chunks = [];
  req
    .on('data', (chunk) => chunks.push(chunk))
    .on('end', () => {
      const text = JSON.stringify(JSON.parse(Buffer.concat(chunks).toString('utf8')));
      res.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
      res.end(text);
    });
});
server.listen(0, '127.0.0.1', () => console.log(`port ${server.address().port}`));
