import { signal } from '@preact/signals';
import { api } from './api.js';

/** The principal of this session and what it may do. */
interface Me {
  readonly id: string;
  readonly roles: readonly string[];
  readonly profile?: string;
  /** Decides only what the page offers; every route checks the role again. */
  readonly may: { readonly approve: boolean; readonly admin: boolean };
  readonly gateway: { readonly name: string; readonly version: string };
}

export const me = signal<Me | undefined>(undefined);

export async function loadMe(): Promise<void> {
  try {
    me.value = await api<Me>('/me');
  } catch {
    // Without an answer nothing is offered that needs a role: fail closed.
    me.value = undefined;
  }
}
