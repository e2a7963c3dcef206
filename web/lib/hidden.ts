/** The value that servers send for a hidden field. A test compares it with the constant of the servers. */
export const HIDDEN = '*** (Hidden)';
