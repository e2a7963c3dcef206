/** Inputs that every list has, and the pages of a resource. */
import { z } from 'zod';

export const limit = z.int().min(1).max(50).default(50).describe('How many rows at most');
export const cursor = z.string().max(4000).optional().describe('metadata.nextCursor of the page before, with the same filters');

/** The position of a page in a resource. */
export interface PagePosition {
  /** Each page shows the data as of this transaction. Undefined for the first page. */
  readonly asOf: number | undefined;
  /** `next` of the page before. */
  readonly after: number | undefined;
  readonly limit: number;
}
export interface ResourcePage<T> {
  readonly asOf: number;
  readonly items: readonly T[];
  /** Where the next page begins; null on the last page. */
  readonly next: number | null;
}
