/** Spelled as the servers spell it; a test holds the two together. */
export const HIDDEN = '*** (Hidden)';
