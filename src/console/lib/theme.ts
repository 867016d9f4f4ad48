import { signal } from '@preact/signals';

const themeKey = 'toolgate.theme';
const dark = matchMedia('(prefers-color-scheme: dark)');
const chosen = localStorage.getItem(themeKey);

/** The scheme that is shown: the chosen one, else that of the system. */
export const theme = signal<'light' | 'dark'>(
  chosen === 'light' || chosen === 'dark' ? chosen : dark.matches ? 'dark' : 'light',
);
dark.addEventListener('change', () => {
  // An explicit choice outlives changes of the system; only the default follows it.
  if (localStorage.getItem(themeKey) === null) show(dark.matches ? 'dark' : 'light');
});

function show(scheme: 'light' | 'dark'): void {
  theme.value = scheme;
  document.documentElement.dataset['theme'] = scheme;
}
show(theme.value);

export function switchTheme(): void {
  const next = theme.value === 'dark' ? 'light' : 'dark';
  localStorage.setItem(themeKey, next);
  show(next);
}
