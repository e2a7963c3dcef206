/**
 * Records every copy of this package that the process has loaded. The start refuses two copies, because each copy has its own registry of
 * masks.
 */
const COPIES = Symbol.for('tamshai.copies');
type Marked = { [COPIES]?: Set<string> };

const loaded = ((globalThis as Marked)[COPIES] ??= new Set());
loaded.add(import.meta.url);

/** The URLs of this file in all loaded copies. */
export const loadedCopies = (): readonly string[] => [...loaded];
