import type { Identity } from './core/gateway.js';
import { version } from './version.js';

/** Name and version that the gateway sends to clients. */
export const identity: Identity = { name: 'toolgate', title: 'Toolgate', version };
