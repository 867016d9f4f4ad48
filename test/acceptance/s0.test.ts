import { walk } from './row.js';
import { breaker } from './s0/breaker.js';
import { configuration } from './s0/configuration.js';
import { declarations } from './s0/declarations.js';
import { environment } from './s0/environment.js';
import { execution } from './s0/execution.js';
import { health } from './s0/health.js';
import { input } from './s0/input.js';
import { observe } from './s0/observe.js';
import { operations } from './s0/operations.js';
import { output } from './s0/output.js';
import { rates } from './s0/rates.js';
import { registry } from './s0/registry.js';
import { shape } from './s0/shape.js';

walk('S0', 'Command tools', [
  ...shape,
  ...environment,
  ...configuration,
  ...input,
  ...execution,
  ...output,
  ...breaker,
  ...rates,
  ...registry,
  ...health,
  ...observe,
  ...declarations,
  ...operations,
]);
