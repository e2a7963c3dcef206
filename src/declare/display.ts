/** Labels of fields and the text of hidden values. Worker threads load this file, so it does not import zod. */
export const HIDDEN = '*** (Hidden)';

const ACRONYMS = /\b(arpu|arr|mrr|pto|sla|ssn|ytd)\b/gi;
/** `manager_id` becomes "Manager id", `_id` becomes "Id", `ssn` becomes "SSN". */
export const labelFor = (field: string): string => {
  const words = field
    .replaceAll('_', ' ')
    .trim()
    .replace(ACRONYMS, (word) => word.toUpperCase());
  return words.charAt(0).toUpperCase() + words.slice(1);
};

export const snakeCase = (key: string): string => key.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`);
