export type Theme = 'system' | 'light' | 'dark';

const KEY = 'svc-theme';

export function readTheme(): Theme {
  const kept = localStorage.getItem(KEY);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

/** Colours are written as pairs, of which `color-scheme` chooses. */
export function applyTheme(theme: Theme = readTheme()): void {
  document.documentElement.style.colorScheme = theme === 'system' ? 'light dark' : theme;
}

export function keepTheme(theme: Theme): void {
  if (theme === 'system') localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, theme);
  applyTheme(theme);
}
