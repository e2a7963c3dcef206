/** The error class, the common error codes with status and hint, and the error answer. Errors never contain the message of a driver. */
export type Details = Readonly<Record<string, unknown>>;

interface CodeFacts {
  readonly status: number;
  readonly hint: string;
  /** Whether the same call can succeed later. */
  readonly retryable?: true;
}

/** Codes that any tool may throw. A tool declares all its other codes under `errors`. */
const COMMON = {
  VALIDATION_ERROR: { status: 400, hint: 'Correct the input named in the message and call again.' },
  INSUFFICIENT_PERMISSIONS: { status: 403, hint: 'Ask someone who may do this, or ask an administrator for the right.' },
  SEPARATION_OF_DUTIES: { status: 403, hint: 'Ask another person who may do this, and who is not involved in it.' },
} as const satisfies Record<string, CodeFacts>;

/** Codes that the pipeline, the stores and the surfaces throw. A tool cannot throw them itself. */
const PIPELINE = {
  TOO_MANY_GROUPS: { status: 400, hint: 'Use fewer groups or longer periods, or add one of the filters that the message names.' },
  UNAUTHENTICATED: { status: 401, hint: 'Sign in and call again with a fresh token.' },
  IDENTITY_NOT_LINKED: { status: 403, hint: 'Ask an administrator to link your account to your employee record.' },
  USER_MISMATCH: { status: 403, hint: 'Leave the user out: it is taken from your sign-in.' },
  FIELD_HIDDEN: { status: 403, hint: 'Leave the field out, or ask somebody who may see it on every row.' },
  PERSON_REQUIRED: { status: 403, hint: 'A person has to decide this in the browser or in a terminal; a program cannot.' },
  FORBIDDEN_ORIGIN: { status: 403, hint: 'Use the address that Tamshai printed at start.' },
  TOOL_NOT_FOUND: { status: 404, hint: 'List the tools you may use and call one of them.' },
  RESOURCE_NOT_FOUND: { status: 404, hint: 'List the resources you may read and read one of them.' },
  PROMPT_NOT_FOUND: { status: 404, hint: 'List the prompts and use one of them.' },
  CONTRACT_NOT_PROVIDED: { status: 404, hint: 'Run the same release of the domains in all processes.' },
  CONFIRMATION_NOT_FOUND: { status: 404, hint: 'Ask for the change again.' },
  NOT_FOUND: { status: 404, hint: 'Check the address.' },
  METHOD_NOT_ALLOWED: { status: 405, hint: 'Use the method that the documentation names.' },
  REQUEST_TIMEOUT: { status: 408, hint: 'Send the whole request at once, then wait for the answer.', retryable: true },
  INVALID_CURSOR: { status: 400, hint: 'Repeat the call without a cursor, with the same filters throughout.' },
  ALREADY_DECIDED: { status: 409, hint: 'Nothing to do: it was decided before.' },
  CHANGED_SINCE_APPROVAL: { status: 409, hint: 'Nothing was written. Ask for the change again to see what it would do now.' },
  PAYLOAD_TOO_LARGE: { status: 413, hint: 'Send less in one call.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, hint: 'Send uncompressed JSON with Content-Type: application/json.' },
  RATE_LIMITED: { status: 429, hint: 'Wait as long as Retry-After says, then call again.', retryable: true },
  INTERNAL_ERROR: { status: 500, hint: 'Try once more; if it happens again, report the request id.', retryable: true },
  DATABASE_ERROR: { status: 503, hint: 'Try again in a moment; if it happens again, report the request id.', retryable: true },
  SERVICE_UNAVAILABLE: { status: 503, hint: 'Try again in a moment.', retryable: true },
  TIMEOUT: { status: 504, hint: 'Ask for less in one call, or try again in a moment.', retryable: true },
} as const satisfies Record<string, CodeFacts>;

export type CommonCode = keyof typeof COMMON;
export type PipelineCode = keyof typeof PIPELINE;
const KNOWN: Readonly<Record<string, CodeFacts>> = { ...COMMON, ...PIPELINE };
export const commonCodes = Object.keys(COMMON) as CommonCode[];
export const pipelineCodes = Object.keys(PIPELINE) as PipelineCode[];

/** A string is the hint; `sentenceFor` then makes the message from the code. */
export type ErrorText = string | { readonly message: string; readonly hint: string; readonly status?: number };
export type ErrorMap = Readonly<Record<Uppercase<string>, ErrorText>>;

export interface ErrorAnswer {
  readonly status: 'error';
  readonly code: string;
  readonly message: string;
  readonly suggestedAction: string;
  readonly retryable: boolean;
  readonly details?: Details;
}

export class Failure extends Error {
  readonly code: string;
  readonly status: number;
  readonly suggestedAction: string;
  readonly retryable: boolean;
  readonly details: Details | undefined;
  constructor(code: string, text: { message: string; hint: string; status: number; retryable: boolean }, details?: Details) {
    super(text.message);
    this.name = 'Failure';
    this.code = code;
    this.status = text.status;
    this.suggestedAction = text.hint;
    this.retryable = text.retryable;
    this.details = details;
  }
  answer(): ErrorAnswer {
    const { code, message, suggestedAction, retryable, details } = this;
    return { status: 'error', code, message, suggestedAction, retryable, ...(details && { details }) };
  }
}

/** EMPLOYEE_NOT_FOUND becomes "Employee not found." */
const sentenceFor = (code: string) => `${code.charAt(0)}${code.slice(1).toLowerCase().replaceAll('_', ' ')}.`;
/** A tool's own code has the status 404 if it ends with _NOT_FOUND, else 409. */
const statusByName = (code: string) => (code.endsWith('_NOT_FOUND') ? 404 : 409);

/** Creates a failure with a declared or common code. For a common code, `details.message` is the message. */
export function toolFailure(code: string, errors: ErrorMap, details?: Details): Failure {
  const own = (errors as Record<string, ErrorText>)[code];
  if (own === undefined) {
    const { message, ...rest } = details ?? {};
    return failure(
      code as CommonCode,
      typeof message === 'string' ? message : sentenceFor(code),
      Object.keys(rest).length > 0 ? rest : undefined,
    );
  }
  const text = typeof own === 'string' ? { message: sentenceFor(code), hint: own } : own;
  return new Failure(code, { status: statusByName(code), retryable: false, ...text }, details);
}

/** Without a hint, the failure gets a hint with the required roles, or the standard hint of the code. */
export function failure(
  code: PipelineCode | CommonCode,
  text: string | { readonly message: string; readonly hint: string },
  details?: Details,
): Failure {
  const { status, hint: standard, retryable = false } = KNOWN[code] ?? PIPELINE.INTERNAL_ERROR;
  const { message, hint } = typeof text === 'string' ? { message: text, hint: roleHint(details) ?? standard } : text;
  return new Failure(code, { message, hint, status, retryable }, details);
}

/** Most MCP clients show only the text, so the hint names the required roles. */
function roleHint(details: Details | undefined): string | undefined {
  const roles = details?.['requiredRoles'];
  if (!Array.isArray(roles) || roles.length === 0) return undefined;
  if (roles.length === 1) return `Ask someone who holds the role ${roles[0]}.`;
  return `Ask someone who holds one of these roles: ${roles.join(', ')}.`;
}

export const isRetryable = (code: string): boolean => KNOWN[code]?.retryable ?? false;

/** The write may have happened, so the failure is not retryable: a second call could write twice. */
export const outcomeUnknown = (error: Failure): Failure =>
  new Failure(
    error.code,
    {
      message: `${error.message} The change may have been made anyway.`,
      hint: 'Check whether the change was made, and ask again only if it was not.',
      status: error.status,
      retryable: false,
    },
    error.details,
  );

/** The HTTP status of any code, including the codes of tools. */
export const statusOf = (code: string): number => KNOWN[code]?.status ?? statusByName(code);
