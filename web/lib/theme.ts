/** Stores the theme. The gateway's pages use the same key. */
export function toggleTheme(): void {
  const { dataset } = document.documentElement;
  const dark = dataset['theme'] ? dataset['theme'] === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  chooseTheme(dark ? 'light' : 'dark');
}
export type Theme = 'light' | 'dark' | 'system';
export const theme = (): Theme => {
  const chosen = document.documentElement.dataset['theme'];
  return chosen === 'light' || chosen === 'dark' ? chosen : 'system';
};
export function chooseTheme(chosen: Theme): void {
  if (chosen === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = chosen;
  try {
    if (chosen === 'system') localStorage.removeItem('theme');
    else localStorage.setItem('theme', chosen);
  } catch {
    /* storage may be disabled in private windows */
  }
}
