// A server on the official SDK 1 that does what reference servers do: sends instructions, asks for roots right after the
// handshake, runs one tool only as a task, and declares a required argument with a default.
import { InMemoryTaskStore } from '@modelcontextprotocol/sdk/experimental/tasks/stores/in-memory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { RootsListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';

const taskStore = new InMemoryTaskStore();
const server = new McpServer(
  { name: 'manners', version: '1.0.0' },
  {
    instructions: 'Call where before anything else.\nThen call slowly.',
    capabilities: { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
    taskStore,
  },
);
const says = (text) => ({ content: [{ type: 'text', text }] });
let roots = [];
let asked = 0;
const askRoots = async () => {
  asked += 1;
  ({ roots } = await server.server.listRoots());
};
server.server.oninitialized = askRoots;
server.server.setNotificationHandler(RootsListChangedNotificationSchema, askRoots);
server.registerTool('where', { description: 'Tells the roots', inputSchema: {} }, async () =>
  says(JSON.stringify({ asked, roots: roots.map(({ uri }) => uri) })),
);
server.registerTool(
  'shot',
  { description: 'Takes a picture', inputSchema: { scale: z.enum(['css', 'device']).default('css') } },
  async ({ scale }) => says(scale),
);
server.experimental.tasks.registerToolTask(
  'slowly',
  { description: 'Takes its time', inputSchema: {}, execution: { taskSupport: 'required' } },
  {
    async createTask(_, { taskStore: store, taskRequestedTtl }) {
      const task = await store.createTask({ ttl: taskRequestedTtl, pollInterval: 50 });
      setTimeout(() => void store.storeTaskResult(task.taskId, 'completed', says('at last')), 100);
      return { task };
    },
    getTask: (_, { taskId, taskStore: store }) => store.getTask(taskId),
    getTaskResult: (_, { taskId, taskStore: store }) => store.getTaskResult(taskId),
  },
);
await server.connect(new StdioServerTransport());
