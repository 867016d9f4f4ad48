import type { Identity } from './core/gateway.js';
import { version } from './version.js';

/** How the gateway names itself to clients. */
export const identity: Identity = { name: 'toolgate', title: 'Toolgate', version };
