/** The script of the approval page: attaches the behaviour of a card to the card that the server rendered. */
import { attachCard } from './approval-card.ts';

const slot = document.querySelector<HTMLElement>('[data-slot]');
const live = document.querySelector<HTMLElement>('[data-status]');
if (slot && live) attachCard(slot, { live, templates: document });
