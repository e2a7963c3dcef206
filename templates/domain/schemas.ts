/** Schemas that the tools of {{name}} share. */
import { companyText, idOf, storedDay, storedId, z } from 'tamshai';

export const itemId = idOf('Give the item_id of an item from list_items').describe('item_id from list_items');

export const item = z.object({ item_id: storedId, title: companyText, owner_name: companyText, due: storedDay });

export const itemNotFound = { message: 'There is no such item, or it is not yours.', hint: 'Find the item_id with list_items.' };
