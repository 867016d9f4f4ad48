// Loaded into a gateway with `--import`: each SIGUSR2 moves its clocks ahead by CLOCK_STEP_SEC, so that a check need not wait for a rest of minutes.
const step = Number(process.env.CLOCK_STEP_SEC) * 1000;
const wall = Date.now;
const monotonic = performance.now.bind(performance);
let ahead = 0;
Date.now = () => wall() + ahead;
performance.now = () => monotonic() + ahead;
if (step > 0)
  process.on('SIGUSR2', () => {
    ahead += step;
    process.stderr.write(`{"event":"clock.moved","ahead_ms":${ahead}}\n`);
  });
