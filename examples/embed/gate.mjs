// A gateway inside of a program: a source, a guard with a setting and a route of its own.
import { createGate, defineRoute } from 'toolgate';
import { notes } from './notes.mjs';
import { officeHours } from './office-hours.mjs';

/** Opens the gateway; `hour` is a parameter for tests. */
export const open = ({ stateFolder, hour }) =>
  createGate({
    config: {
      state: { directory: stateFolder },
      commands: { builtins: false },
      log: { level: 'error' },
      tool: { overrides: { notes__read: { rate: 120 } } },
    },
    sources: [notes()],
    guards: [officeHours({ from: 8, to: 18, hour })],
    routes: [
      defineRoute({
        method: 'GET',
        path: '/whoami',
        auth: 'principal',
        handle: ({ principal }) => Response.json({ id: principal.id, roles: principal.roles }),
      }),
    ],
  });
