import type { Socket } from 'node:net';
import { noTiers, type TierReport } from '../sandbox/tiers.js';
import { frame, toFrame } from './frames.js';
import { startBroker, type BrokerLink } from './link.js';
import type { Hello, PassedPipe } from './messages.js';

interface BrokerConnectionOptions {
  readonly instance: number;
  /** First frame to a broker; `replaces` if it follows one that crashed. */
  readonly hello: (replaces: boolean, report: TierReport | undefined) => Hello;
  onFrame(kind: number, id: number, payload: Buffer): void;
  onPipe(passed: PassedPipe, socket: Socket): void;
  onLost(message: string): void;
}

// An exit this soon means that the broker cannot run here, not that it crashed at work.
const quickExitMs = 1_000;
/** Exits in a row, each soon after the start, after which no tier counts as available. */
const maxQuickExits = 3;
const firstRestartMs = 50;
const maxRestartMs = 5_000;

/** The current broker, restarted with back-off when it crashes. */
export function brokerConnection({ instance, hello, onFrame, onPipe, onLost }: BrokerConnectionOptions) {
  let current: BrokerLink | undefined;
  let quickExits = 0;
  let isClosed = false;
  let known: TierReport | undefined;
  let resolveReport: (report: TierReport) => void = () => {};
  const report = new Promise<TierReport>((resolve) => (resolveReport = resolve));

  function restartAfter(connectedAt: number, message: string): void {
    if (isClosed) return;
    // A broker that ran for a while resets the count: it may crash again much later.
    quickExits = performance.now() - connectedAt < quickExitMs ? quickExits + 1 : 0;
    const isHopeless = quickExits >= maxQuickExits;
    // Callers that wait for the report must get one even if no broker ever starts.
    if (isHopeless) resolveReport(noTiers(message));
    const delayMs = quickExits === 0 ? 0 : Math.min(maxRestartMs, firstRestartMs * 2 ** quickExits);
    const retry = setTimeout(() => isClosed || connect(true), delayMs);
    // Hopeless retries must not keep the process alive.
    if (known !== undefined || isHopeless) retry.unref();
  }

  function connect(replaces = false): void {
    const connectedAt = performance.now();
    current = startBroker(instance, {
      onFrame,
      onPipe,
      onLost(message) {
        // Cleared first, so that callers of onLost do not send to the dead broker.
        current = undefined;
        onLost(message);
        restartAfter(connectedAt, message);
      },
    });
    current.send(toFrame(frame.hello, 0, JSON.stringify(hello(replaces, known))));
  }

  return {
    connect: () => connect(),
    /** Undefined while there is none. */
    current: () => current,
    isClosed: () => isClosed,
    /** Sandbox tiers of this machine. */
    report,
    setReport(found: TierReport): void {
      known = found;
      resolveReport(found);
    },
    /** Whether the broker keeps the gateway's event loop alive. */
    hold: (isHeld: boolean): void => current?.hold(isHeld),
    kill: (): void => current?.kill(),
    stopRestarts(): void {
      isClosed = true;
    },
    async close(): Promise<void> {
      // Taken out before the wait, so that nothing is sent to a broker that is closing.
      const last = current;
      current = undefined;
      await last?.close();
    },
  };
}
