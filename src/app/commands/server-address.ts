/** Where a server is, in words that hold no password. */
export const addressOf = (url: string): string => {
  const { hostname, port, pathname } = new URL(url);
  return `${hostname}${port === '' ? '' : `:${port}`}${pathname === '/' ? '' : pathname}`;
};

export { mongoAddressOf } from '../../storage/documents/mongodb-address.ts';
