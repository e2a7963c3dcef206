/**
 * Records every copy of this package that the process has loaded. Each copy has its own registries of masks and sensitive inputs, so a
 * start with two copies could miss a mask.
 */
const COPIES = Symbol.for('tamshai.copies');
type Marked = { [COPIES]?: Set<string> };

const loaded = ((globalThis as Marked)[COPIES] ??= new Set());
loaded.add(import.meta.url);

/** The URLs of this file in all loaded copies. */
export const loadedCopies = (): readonly string[] => [...loaded];
