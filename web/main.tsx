/** Mounts the app. */
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import './styles/app.css';

/** CSS of sticky elements needs the height of the banners above the app. */
const bars = [...document.querySelectorAll<HTMLElement>('.devbar')];
const measure = () => {
  const height = matchMedia('(max-width: 760px)').matches ? 0 : bars.reduce((sum, bar) => sum + bar.offsetHeight, 0);
  document.documentElement.style.setProperty('--bars', `${height}px`);
};
measure();
addEventListener('resize', measure);

const root = document.getElementById('app');
if (root) createRoot(root).render(<App />);
