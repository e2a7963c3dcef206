const HOST = String.raw`(?:\[[0-9a-f:.]+\]|[\w.%-]+)(?::\d+)?`;
/** A login is cut off; without one there is no @ at all. Else a password with a sign in it that should have been encoded would be taken for a host. */
const ADDRESS = new RegExp(String.raw`^[a-z+]+://(?:[^@/?]*@(?![^?]*@)|(?!.*@))(${HOST}(?:,${HOST})*)(?:[/?]|$)`, 'is');

/** The hosts that a URL names, in words that hold no password, however it is written. */
export const mongoAddressOf = (url: string): string => ADDRESS.exec(url)?.[1] ?? 'the address in the settings';
