/** The script of the approval page. */
import { attachCard } from './approval-card.ts';

const slot = document.querySelector<HTMLElement>('[data-slot]');
const live = document.querySelector<HTMLElement>('[data-status]');
if (slot && live) attachCard(slot, { live, templates: document });
