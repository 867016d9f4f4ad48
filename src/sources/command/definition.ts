import type { Args } from '../../core/call.js';
import type { JsonObject } from '../../core/json.js';
import type { Manifest } from './manifest.js';
import type { FlagValue } from './values.js';

/** What a parser is given: all that the program said and how it ended. */
export interface Printed {
  readonly stdout: string;
  readonly stderr: string;
  readonly returncode: number;
  readonly args: Args;
}

/** What a parser made of it; nothing where there was nothing to read. */
export interface Reading {
  readonly parsed?: JsonObject;
  readonly summary?: string;
}

/** Turns what a program printed into data of a known shape; hostile text may spoil the data, never the gateway. */
export interface OutputParser {
  readonly schema: JsonObject;
  read(printed: Printed): Reading;
}

/** An objection to a value that keeps its flag's form. */
export interface CheckObjection {
  readonly stage: 'semantics' | 'permission';
  readonly message: string;
  readonly expected?: string;
  readonly example?: string;
}

/** Judges a value by what is installed and what the operator allows. */
export type ValueCheck = (
  value: FlagValue,
  allowed: { readonly intrusive: boolean },
) => Promise<CheckObjection | undefined> | CheckObjection | undefined;

/** A command as the source keeps it: the manifest, and the parts that are code. */
export interface CommandDefinition {
  readonly name: string;
  readonly manifest: Manifest;
  readonly parser?: OutputParser;
  readonly checks?: Readonly<Record<string, ValueCheck>>;
  /** Forgets what it looked up, such as which scripts are installed. */
  readonly clear?: () => void;
  /** Where it was read from, for people. */
  readonly origin?: string;
}

/** The program's own name; where it lies on this machine is nobody's business. */
export const programOf = ({ manifest: { command } }: CommandDefinition): string =>
  command.slice(command.lastIndexOf('/') + 1);
