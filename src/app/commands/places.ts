/** Where a server is, in words that hold no password. */
export const addressOf = (url: string): string => {
  const { hostname, port, pathname } = new URL(url);
  return `${hostname}${port === '' ? '' : `:${port}`}${pathname === '/' ? '' : pathname}`;
};

/** The same where several hosts may stand in it. */
export const mongoAddressOf = (url: string): string => url.replace(/^[a-z+]+:\/\/(?:[^@/]*@)?([^/?]*).*$/i, '$1');
