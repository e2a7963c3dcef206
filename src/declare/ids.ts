/** Ids in inputs. An id of another form than the stored ones is the id of no record, so tools answer that the record does not exist. */
import { z } from 'zod';

const LONGEST = 256;
const UNREADABLE = /\0|\p{Surrogate}/u;

/** Any text that can be an id. Longer texts, NUL and lone surrogates are refused before the store sees them. */
export const recordIdText = z
  .string()
  .min(1, 'Give an id')
  .max(LONGEST, `An id has at most ${LONGEST} characters`)
  .refine((text) => !UNREADABLE.test(text), 'An id has no NUL and no lone surrogate');
