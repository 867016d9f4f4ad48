import type { IncomingMessage } from 'node:http';
import type { Door } from '../../../core/call.js';

/**
 * Door of a REST request, for audit and rules. Routes call it after authentication, and only console sessions have tokens of this
 * form, so the prefix decides.
 */
export const doorOf = ({ headers: { authorization = '' } }: IncomingMessage): Door =>
  /^bearer +tgc_/i.test(authorization) ? 'console' : 'rest';
