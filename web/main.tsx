import { createRoot } from 'react-dom/client';
import './styles/app.css';

const root = document.getElementById('app');
if (root) createRoot(root).render(<p>Tamshai</p>);
