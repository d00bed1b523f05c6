export type Theme = 'system' | 'light' | 'dark';

/** With their names. */
export const THEMES: readonly (readonly [Theme, string])[] = [
  ['system', 'System'],
  ['light', 'Light'],
  ['dark', 'Dark'],
];

const KEY = 'svc-theme';

export function readTheme(): Theme {
  const kept = localStorage.getItem(KEY);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

const dark = matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();

/** What is shown now. */
export function shownTheme(): 'light' | 'dark' {
  const theme = readTheme();
  return theme === 'dark' || (theme === 'system' && dark.matches) ? 'dark' : 'light';
}

/** Calls `on` when the person or the system chooses another theme, until the returned function is called. */
export function onThemeChange(on: () => void): () => void {
  listeners.add(on);
  dark.addEventListener('change', on);
  return () => {
    listeners.delete(on);
    dark.removeEventListener('change', on);
  };
}

/** Colours are written as pairs, of which `color-scheme` chooses; the styles set it by this attribute. */
export function applyTheme(theme: Theme = readTheme()): void {
  const { dataset } = document.documentElement;
  if (theme === 'system') delete dataset.theme;
  else dataset.theme = theme;
}

export function keepTheme(theme: Theme): void {
  if (theme === 'system') localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, theme);
  applyTheme(theme);
  for (const on of listeners) on();
}
