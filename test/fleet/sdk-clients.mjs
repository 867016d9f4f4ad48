import { Client as Modern, StreamableHTTPClientTransport as ModernHttp } from '@modelcontextprotocol/client';
import { Client as Legacy } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as LegacyHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { caller } from './replica.mjs';

const info = { name: 'fleet', version: '1' };
const capabilities = { elicitation: { form: {} } };
const blue = () => Promise.resolve({ action: 'accept', content: { colour: 'blue', approve: true } });
const init = { requestInit: { headers: { Authorization: `Bearer ${caller}` } } };

const clients = {
  async 2025(url) {
    const client = new Legacy(info, { capabilities });
    client.setRequestHandler(ElicitRequestSchema, blue);
    await client.connect(new LegacyHttp(url, init));
    return client;
  },
  async 2026(url) {
    const client = new Modern(info, { versionNegotiation: { mode: { pin: '2026-07-28' } }, capabilities });
    client.setRequestHandler('elicitation/create', blue);
    await client.connect(new ModernHttp(url, init));
    return client;
  },
};

/** The official clients of both eras, through the balancer: every request may reach another replica. */
export const sdkClients = {
  async 'official clients through the balancer'({ balancer, long }) {
    const seen = [];
    for (const [era, connect] of Object.entries(clients)) {
      let [good, asked] = [0, 0];
      const rounds = 10 * long;
      for (let round = 0; round < rounds; round += 1) {
        const client = await connect(new URL('/mcp', balancer.url));
        const { tools } = await client.listTools();
        const echoed = await client.callTool({ name: 'each__echo', arguments: { text: `t${round}` } });
        if (tools.some(({ name }) => name === 'each__echo') && echoed.content[0]?.text === `t${round}`) good += 1;
        // Its answer is a request of its own, which the balancer sends to the next replica.
        const answer = await client.callTool({ name: 'each__ask', arguments: {} });
        if (JSON.stringify(answer.content).includes('blue')) asked += 1;
        else seen.push(JSON.stringify(answer).slice(0, 200));
        await client.close();
      }
      seen.unshift(`${era}: ${good} of ${rounds} called, ${asked} of ${rounds} answered a question`);
      if (good !== rounds || asked !== rounds) return [false, seen.join('; ')];
    }
    return [true, seen.join('; ')];
  },
};
