/** The value that servers send for a hidden field. A test keeps both spellings equal. */
export const HIDDEN = '*** (Hidden)';
