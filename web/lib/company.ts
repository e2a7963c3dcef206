/** The company of the installation. The app loads it before it shows data. */
import type { User } from '../../contracts/api.d.ts';

export type Company = User['company'];

let current: Company = { name: 'Tamshai', timeZone: 'UTC', currency: 'USD', fiscalYearStart: 1 };
export const company = (): Company => current;
export const setCompany = (loaded: Company): void => {
  current = loaded;
};
