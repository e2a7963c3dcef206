/** The hosts of a MongoDB URL, for messages that must not contain a password. */
const HOST = String.raw`(?:\[[0-9a-f:.]+\]|[\w.%-]+)(?::\d+)?`;
/** Allows one @ after the login, or none: otherwise part of an unencoded password could be taken for a host. */
const ADDRESS = new RegExp(String.raw`^[a-z+]+://(?:[^@/?]*@(?![^?]*@)|(?!.*@))(${HOST}(?:,${HOST})*)(?:[/?]|$)`, 'is');

/** Contains no password, however the URL is written. */
export const mongoAddressOf = (url: string): string => ADDRESS.exec(url)?.[1] ?? 'the address in the settings';
