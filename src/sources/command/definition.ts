import type { Args } from '../../core/call.js';
import type { JsonObject } from '../../core/json.js';
import type { Manifest } from './manifest/manifest.js';
import type { FlagValue } from './input/flag-values.js';

/** Input of an output parser: captured output, exit code and the call's arguments. */
interface ProgramOutput {
  readonly stdout: string;
  readonly stderr: string;
  readonly returncode: number;
  readonly args: Args;
}

/** Result of an output parser; empty if the output has no known structure. */
interface ParsedOutput {
  readonly parsed?: JsonObject;
  readonly summary?: string;
  /** Element tree of declared XML. */
  readonly xml?: JsonObject;
}

/** Parses program output into data that matches `schema`; must not throw, since the output is untrusted. */
export interface OutputParser {
  readonly schema: JsonObject;
  read(printed: ProgramOutput): ParsedOutput;
}

/** Rejection of a value that is syntactically valid for its flag. */
interface CheckRejection {
  readonly stage: 'semantics' | 'permission';
  readonly message: string;
  readonly expected?: string;
  readonly example?: string;
}

/** Checks a value against the installed software and the operator's permissions. */
export type ValueCheck = (value: FlagValue, allowed: { readonly intrusive: boolean }) => CheckRejection | undefined;

/** A command tool: its manifest, plus the parts that need code. */
export interface CommandDefinition {
  readonly name: string;
  readonly manifest: Manifest;
  readonly parser?: OutputParser;
  readonly checks?: Readonly<Record<string, ValueCheck>>;
  /** Clears cached lookups, such as the list of installed scripts. */
  readonly clear?: () => void;
  /** Whether it belongs to the built-in pack; the operator's defaults take precedence over its limits. */
  readonly isBuiltin?: boolean;
  /** File it was loaded from, for log messages. */
  readonly origin?: string;
}

/** Program name without its folder: messages must not disclose paths of the host. */
export const programName = ({ manifest: { command } }: CommandDefinition): string =>
  command.slice(command.lastIndexOf('/') + 1);
