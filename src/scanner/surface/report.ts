/** A place in the scanned tree, in the form of the JSON report. */
export interface ReportLocation {
  readonly file: string;
  readonly start_line: number;
  readonly end_line?: number;
}

export interface ReportHandler {
  readonly function_name: string;
  readonly file_name: string;
  readonly location: ReportLocation;
}

/** How sure the scanner is: `certain` was seen registered, `heuristic` only looks like it by name. */
export type Confidence = 'certain' | 'likely' | 'heuristic';

/** A JSON Schema as far as it was told from code. */
export interface InputSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
  /** True when there may be properties that could not be told. */
  readonly partial?: boolean;
}

interface Offered {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly handler?: ReportHandler;
  readonly decorators: readonly string[];
  readonly location: ReportLocation;
  readonly confidence: Confidence;
  /** False when only part of the description could be told. */
  readonly description_complete?: boolean;
}
export interface ReportTool extends Offered {
  readonly schema?: InputSchema;
}
export interface ReportResource extends Offered {
  readonly uri: string;
  readonly is_template: boolean;
}
export interface ReportPrompt extends Offered {
  readonly arguments: readonly string[];
}

export type Transport = 'stdio' | 'http' | 'websocket';

export interface AuthSignal {
  readonly type: 'cookie' | 'header' | 'oauth_state';
  readonly name: string;
  readonly location: ReportLocation;
  /** The line of code that says so. */
  readonly evidence: string;
}

export type Sdk =
  'python-official' | 'python-fastmcp' | 'typescript-official' | 'typescript-v2' | 'npm-fastmcp' | 'other';
export interface ReportSdk {
  readonly sdk: Sdk;
  readonly name: string;
  readonly packages: readonly string[];
}

/** Something that is offered but could not be told; unknown is not safe, so it is said. */
export interface Unresolved {
  readonly kind: 'tool' | 'resource' | 'prompt' | 'any';
  readonly reason: string;
  readonly location: ReportLocation;
}

export interface SkippedFile {
  readonly file: string;
  readonly reason: string;
}

/** What an MCP server offers, read from its source. */
export interface SurfaceReport {
  readonly tools: readonly ReportTool[];
  /** Tools that are offered only when a setting (an environment variable, an argument) asks for them. */
  readonly optionalTools: readonly ReportTool[];
  readonly resources: readonly ReportResource[];
  readonly prompts: readonly ReportPrompt[];
  readonly transports: readonly Transport[];
  readonly authSignals: readonly AuthSignal[];
  readonly sdks: readonly ReportSdk[];
  readonly unresolved: readonly Unresolved[];
  readonly skipped: readonly SkippedFile[];
  readonly files: number;
  readonly bytes: number;
}

/** Why a server that offers nothing is not taken for one that is understood. */
export const noRegistration =
  'no registration was found: what is offered comes from elsewhere or in a way that is not understood';
