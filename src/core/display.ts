/** How values and fields read where people see them. No schema library in here: worker threads load it. */
export const HIDDEN = '*** (Hidden)';

/** `manager_id` reads "Manager id", and `_id` "Id". */
export const labelFor = (field: string): string => {
  const words = field.replaceAll('_', ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
};
