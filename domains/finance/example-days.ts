/** Days and months for examples, relative to today. */
export const yearOf = (today: string): number => Number(today.slice(0, 4));
export const newYear = (today: string): string => `${today.slice(0, 4)}-01-01`;
export const monthOf = (today: string): string => today.slice(0, 7);
export function lastMonth(today: string): string {
  const [year = 0, month = 0] = today.split('-').map(Number);
  return month === 1 ? `${year - 1}-12` : `${year}-${String(month - 1).padStart(2, '0')}`;
}
