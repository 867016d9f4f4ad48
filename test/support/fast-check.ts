// Every test imports fast-check through this file (an alias in vitest.config.ts), so that a run is the same run each time.
// TOOLGATE_SEED=random draws new cases, TOOLGATE_SEED=<number> repeats those of a report.
import { configureGlobal } from '../../node_modules/fast-check/lib/fast-check.js';

const wanted = process.env['TOOLGATE_SEED'];
if (wanted !== 'random') configureGlobal({ seed: Number(wanted ?? 20_261_118) });

export * from '../../node_modules/fast-check/lib/fast-check.js';
export { default } from '../../node_modules/fast-check/lib/fast-check.js';
