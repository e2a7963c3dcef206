/** The button that switches between the light and the dark theme. */
import { toggleTheme } from '../lib/theme.ts';
import { Icon } from './icon.tsx';

export const ThemeButton = () => (
  <button className="icon-btn theme-btn" type="button" aria-label="Switch between light and dark" onClick={toggleTheme}>
    <Icon name="moon" />
    <Icon name="sun" />
  </button>
);
