/**
 * The OpenID Connect library, without its warning about every Node.js release but its favourite ones: ours are tested, and whoever
 * starts the product could do nothing about it.
 */
const { warn } = console;
console.warn = (...words: unknown[]) => {
  if (!String(words[0]).includes('Unsupported runtime')) warn(...words);
};
export const { Provider, errors, interactionPolicy } = await import('oidc-provider');
console.warn = warn;
