export function locate(root: string, find: string): { readonly file: string; readonly start: number; readonly end: number };
