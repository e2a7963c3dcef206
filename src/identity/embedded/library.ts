/** Imports oidc-provider, and hides its warning about Node.js releases that it does not list. Our tests cover these releases. */
const { warn } = console;
console.warn = (...words: unknown[]) => {
  if (!String(words[0]).includes('Unsupported runtime')) warn(...words);
};
export const { Provider, errors, interactionPolicy } = await import('oidc-provider');
console.warn = warn;
