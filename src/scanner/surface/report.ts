/** A location in the scanned tree, in the form of the JSON report. */
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

/** Confidence of a tool: `certain` if a registration was found, `heuristic` if only its name suggests a tool. */
type Confidence = 'certain' | 'likely' | 'heuristic';

/** A JSON Schema, as far as it could be derived from the code. */
export interface InputSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
  /** True if there may be properties that could not be determined. */
  readonly partial?: boolean;
}

interface OfferedItem {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly handler?: ReportHandler;
  readonly decorators: readonly string[];
  readonly location: ReportLocation;
  readonly confidence: Confidence;
  /** False if only part of the description could be determined. */
  readonly description_complete?: boolean;
}
export interface ReportTool extends OfferedItem {
  readonly schema?: InputSchema;
}
export interface ReportResource extends OfferedItem {
  readonly uri: string;
  readonly is_template: boolean;
}
export interface ReportPrompt extends OfferedItem {
  readonly arguments: readonly string[];
}

export type Transport = 'stdio' | 'http' | 'websocket';

/** A call that suggests authentication; evidence for a reviewer, not a proof. */
export interface AuthSignal {
  readonly type: 'cookie' | 'header' | 'oauth_state';
  readonly name: string;
  readonly location: ReportLocation;
  /** The source line of the call. */
  readonly evidence: string;
}

export type Sdk =
  'python-official' | 'python-fastmcp' | 'typescript-official' | 'typescript-v2' | 'npm-fastmcp' | 'other';
export interface ReportSdk {
  readonly sdk: Sdk;
  readonly name: string;
  readonly packages: readonly string[];
}

/** Something the server offers that could not be determined; reported, because unknown is not safe. */
export interface Unresolved {
  readonly kind: 'tool' | 'resource' | 'prompt' | 'any';
  readonly reason: string;
  readonly location: ReportLocation;
}

interface SkippedFile {
  readonly file: string;
  readonly reason: string;
}

/** What an MCP server offers, derived from its source. */
export interface SurfaceReport {
  readonly tools: readonly ReportTool[];
  /** Tools that are offered only with a certain environment variable or argument. */
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

/** Reason for an empty surface, which must not look like a complete analysis. */
export const noRegistrationReason = 'no registration was found: it may be in other code or use an unsupported form';
