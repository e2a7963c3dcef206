/** Returns the address of a server without user and password. */
export const addressOf = (url: string): string => {
  const { hostname, port, pathname } = new URL(url);
  return `${hostname}${port === '' ? '' : `:${port}`}${pathname === '/' ? '' : pathname}`;
};

export { mongoAddressOf } from '../../storage/documents/mongodb-address.ts';
