/**
 * Marker of every process the gateway starts: a number in its RLIMIT_RTTIME.
 * A limit is inherited over fork, exec, setsid, `env -i` and double forks, is readable in /proc/<pid>/limits, can only be
 * lowered, and has no effect on programs that are not real-time. An environment variable has none of these properties and
 * would change an environment that must be exactly as declared.
 */
const magic = 0x2an;
const serialBits = 24n;
const instanceBits = 30n;
const lastSerial = (1 << Number(serialBits)) - 1;

/** Origin of a process: the gateway instance and the serial of the run. */
export interface ProcessMarker {
  readonly instance: number;
  readonly serial: number;
}

export const maxInstance = 2 ** Number(instanceBits) - 1;

/** Serial of the broker: the highest, since a limit can be lowered for each run but never raised. */
export const brokerSerial = lastSerial;

/** The serial of the n-th run, counting down below the broker's own. */
export const runSerial = (n: number): number => lastSerial - 1 - (n % lastSerial);

/** Encodes a marker as a value of RLIMIT_RTTIME. */
export const toRttimeLimit = (marker: ProcessMarker): bigint =>
  (magic << (serialBits + instanceBits)) | (BigInt(marker.instance) << serialBits) | BigInt(marker.serial);

/** Parses the marker from the text of /proc/<pid>/limits; undefined for unmarked processes. */
export function parseMarker(text: string): ProcessMarker | undefined {
  const digits = /Max realtime timeout\s+(\d{1,20})\s/.exec(text)?.[1];
  if (digits === undefined) return undefined;
  const value = BigInt(digits);
  if (value >> (serialBits + instanceBits) !== magic) return undefined;
  return {
    instance: Number((value >> serialBits) & BigInt(maxInstance)),
    serial: Number(value & BigInt(lastSerial)),
  };
}
