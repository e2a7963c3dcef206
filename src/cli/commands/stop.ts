/** Exit codes of commands and error messages for users. */
import { Failure } from '../../declare/errors.ts';

export const EXIT = { ok: 0, failed: 1, usage: 2, waits: 3, refused: 4, unavailable: 5, undone: 6 } as const;

export const EXIT_CODES = `Exit codes:
  0  done
  1  failed
  2  wrong usage or invalid input
  3  waits for a person to approve it
  4  refused: not signed in, not allowed or not found
  5  not available, or too many calls
  6  denied, expired, or changed in the meantime`;

/** An expected failure of a command. The message contains no secret. */
export class Stop extends Error {
  override readonly name = 'Stop';
  readonly exit: number;
  constructor(message: string, exit: number = EXIT.failed) {
    super(message);
    this.exit = exit;
  }
}

export function exitOf(status: number, code: string): number {
  if (code === 'CHANGED_SINCE_APPROVAL' || code === 'ALREADY_DECIDED') return EXIT.undone;
  if (status === 400 || status === 413 || status === 415) return EXIT.usage;
  if (status === 401 || status === 403 || status === 404 || status === 405) return EXIT.refused;
  return status === 429 || status === 503 || status === 504 ? EXIT.unavailable : EXIT.failed;
}

/** Errors are compared by name, because importing their classes would load a database driver into every command. */
const OPERATORS = new Set(['ConfigProblem', 'SetupProblem', 'DatabaseProblem']);

/** Masks passwords in URLs. */
export const withoutSecrets = (text: string): string => text.replace(/(\w+:\/\/)[^\s/@]*:[^\s/@]*@/g, '$1***@');

export function endOf(error: unknown, debug: () => boolean): { readonly message: string; readonly exit: number } {
  if (error instanceof Stop) return error;
  if (error instanceof Failure) return { message: error.message, exit: exitOf(error.status, error.code) };
  if (error instanceof Error && OPERATORS.has(error.name)) return { message: withoutSecrets(error.message), exit: EXIT.failed };
  const more = debug()
    ? `\n${withoutSecrets(error instanceof Error ? (error.stack ?? error.message) : String(error))}`
    : ' Run it again with TAMSHAI_LOG_LEVEL=debug to see more.';
  return { message: `Tamshai failed unexpectedly; this is a bug.${more}`, exit: EXIT.failed };
}
