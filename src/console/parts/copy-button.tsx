import { useState } from 'preact/hooks';
import { Icon } from './icons.js';

/** Copies a text; where the browser refuses, the button shows that. */
export function CopyButton({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }) {
  const [state, setState] = useState<'ready' | 'copied' | 'refused'>('ready');
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setState('copied');
    } catch {
      // The clipboard needs a secure context; over plain HTTP only a manual copy works.
      setState('refused');
    }
  };
  return (
    <button type="button" onClick={() => void copy()}>
      <Icon name={state === 'copied' ? 'check' : 'copy'} />{' '}
      <span aria-live="polite">
        {state === 'ready' ? label : state === 'copied' ? 'Copied' : 'Select the text and copy it'}
      </span>
    </button>
  );
}
