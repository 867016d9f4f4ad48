/**
 * The mark every process of ours carries: a number in its RLIMIT_RTTIME.
 * A limit is inherited over fork, exec, setsid, `env -i` and double forks, is readable by anyone in /proc/<pid>/limits,
 * and can only be lowered; it means nothing to a program that is not real-time. An environment variable would have
 * none of these properties, and would show in an environment that must be exactly what was declared.
 */
const magic = 0x2an;
const serialBits = 24n;
const instanceBits = 30n;
const lastSerial = (1 << Number(serialBits)) - 1;

/** Who made a process: the gateway's instance and the run's serial. */
export interface Mark {
  readonly instance: number;
  readonly serial: number;
}

export const maxInstance = 2 ** Number(instanceBits) - 1;

/** The serial of the broker itself: the highest, since a limit can be lowered for each run but never raised. */
export const brokerSerial = lastSerial;

/** The serial of the n-th run, counting down below the broker's own. */
export const runSerial = (n: number): number => lastSerial - 1 - (n % lastSerial);

export const toLimit = (mark: Mark): bigint =>
  (magic << (serialBits + instanceBits)) | (BigInt(mark.instance) << serialBits) | BigInt(mark.serial);

/** The mark in the text of /proc/<pid>/limits, or undefined for a process that is not ours. */
export function fromLimits(text: string): Mark | undefined {
  const digits = /Max realtime timeout\s+(\d{1,20})\s/.exec(text)?.[1];
  if (digits === undefined) return undefined;
  const value = BigInt(digits);
  if (value >> (serialBits + instanceBits) !== magic) return undefined;
  return {
    instance: Number((value >> serialBits) & BigInt(maxInstance)),
    serial: Number(value & BigInt(lastSerial)),
  };
}
