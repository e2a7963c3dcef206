/** Days as text (`2026-11-16`), for sample rows. */
const DAY = 86_400_000;
export const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);
export const shifted = (day: string, days: number): string => dayOf(Date.parse(day) + days * DAY);
/** The Monday on or after a day. */
export const mondayFrom = (day: string): string => shifted(day, (8 - new Date(day).getUTCDay()) % 7);
/** The hire date, moved to a Monday. */
export const hiredOn = ({ tenure }: { readonly tenure: number }, newYear: string): string => mondayFrom(shifted(newYear, -tenure));
