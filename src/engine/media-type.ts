/** Parses Content-Type strictly by RFC 9110, section 8.3.1. A malformed header or a repeated parameter is no media type. */
const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const TYPE = new RegExp(`^(${TOKEN}/${TOKEN})`);
// RFC 9110 allows a semicolon at the end. This pattern refuses it, because parsers disagree about it.
const PARAMETER = new RegExp(
  `[ \\t]*;[ \\t]*(${TOKEN})=(?:(${TOKEN})|"((?:[\\t \\x21\\x23-\\x5b\\x5d-\\x7e]|\\\\[\\t \\x21-\\x7e])*)")`,
  'y',
);

interface MediaType {
  /** In lower case, without parameters. */
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
}

function parseMediaType(text: string): MediaType | undefined {
  const type = TYPE.exec(text)?.[1];
  if (type === undefined) return undefined;
  const parameters = new Map<string, string>();
  for (PARAMETER.lastIndex = type.length; PARAMETER.lastIndex < text.length; ) {
    const [, name = '', token, quoted = ''] = PARAMETER.exec(text) ?? [];
    const key = name.toLowerCase();
    if (key === '' || parameters.has(key)) return undefined;
    parameters.set(key, token ?? quoted.replace(/\\(.)/g, '$1'));
  }
  return { type: type.toLowerCase(), parameters };
}

/** Accepts this type with no parameter other than `charset=utf-8`. */
function isTextOf(wanted: string): (contentType: string | undefined) => boolean {
  return (contentType) => {
    if (contentType === wanted) return true;
    const parsed = contentType === undefined ? undefined : parseMediaType(contentType);
    if (parsed?.type !== wanted) return false;
    const { charset = 'utf-8', ...others } = Object.fromEntries(parsed.parameters);
    return charset.toLowerCase() === 'utf-8' && Object.keys(others).length === 0;
  };
}

export const isJsonType = isTextOf('application/json');
export const isFormType = isTextOf('application/x-www-form-urlencoded');
