/** Extracts the hosts of a MongoDB URL for messages, without the password. */
const HOST = String.raw`(?:\[[0-9a-f:.]+\]|[\w.%-]+)(?::\d+)?`;
/** Allows at most one @: with a second one, a part of the password could look like a host. */
const ADDRESS = new RegExp(String.raw`^[a-z+]+://(?:[^@/?]*@(?![^?]*@)|(?!.*@))(${HOST}(?:,${HOST})*)(?:[/?]|$)`, 'is');

export const mongoAddressOf = (url: string): string => ADDRESS.exec(url)?.[1] ?? 'the address in the settings';
