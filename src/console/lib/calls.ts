/** A call as `/calls` and the events show it. */
export interface CallInfo {
  /** Id of the call; the key of its row and of its page. */
  readonly call: string;
  readonly at: string;
  readonly tool: string;
  /** The authenticated caller. */
  readonly principal: string;
  /** Door through which the call came. */
  readonly via: string;
  readonly decision: string;
  readonly code?: string;
  readonly message?: string;
  readonly durationMs?: number;
  readonly correlationId?: string;
  /** Hash of the arguments: identifies them even if the audit keeps no plain text. */
  readonly argsDigest?: string;
  /** Hash of the tool definition that was active then. */
  readonly definition?: string;
  /** Absent unless `audit.keep_arguments` is on. */
  readonly args?: unknown;
  readonly detail?: Readonly<Record<string, unknown>>;
  /** Position in the journal; with `hash` it proves that the record is part of the chain. */
  readonly seq?: number;
  readonly journal?: number;
  readonly hash?: string;
  /** Names of all guards in their order. */
  readonly pipeline?: readonly string[];
  /** Null if no page of calls was open while the call ran: stages are not recorded by default. */
  readonly stages?: readonly StageInfo[] | null;
}

export interface StageInfo {
  readonly stage: string;
  /** Start, in milliseconds after the call began. */
  readonly at_ms: number;
  /** Includes the guards inside this one; null while it runs. */
  readonly total_ms: number | null;
  /** Time of this guard alone; null while it runs. */
  readonly own_ms: number | null;
  readonly answered: boolean;
  readonly code?: string;
}

/** A call of the event stream. */
export function fromEvent(at: string, data: Readonly<Record<string, unknown>>): CallInfo {
  // Events carry loose records; a missing field becomes empty text rather than `undefined` on the page.
  const text = (name: string): string => (typeof data[name] === 'string' ? (data[name] as string) : '');
  return {
    at,
    call: text('call'),
    tool: text('tool'),
    principal: text('principal'),
    via: text('via'),
    decision: text('decision'),
    ...(text('code') !== '' && { code: text('code') }),
    ...(typeof data['duration_ms'] === 'number' && { durationMs: data['duration_ms'] }),
  };
}
