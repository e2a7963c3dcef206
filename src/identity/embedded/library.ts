/** Imports oidc-provider without its warning about Node.js releases that it does not list: we test them, and users can do nothing. */
const { warn } = console;
console.warn = (...words: unknown[]) => {
  if (!String(words[0]).includes('Unsupported runtime')) warn(...words);
};
export const { Provider, errors, interactionPolicy } = await import('oidc-provider');
console.warn = warn;
