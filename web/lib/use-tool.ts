/** Hooks that call a tool when a page opens and load further pages of a list. */
import { useCallback, useEffect, useMemo, useState } from 'react';
import { type CallResult, call, ApiError } from './api.ts';
import type { Row } from './columns.ts';
import { fieldsOf } from './schema.ts';
import type { Found } from './tools.ts';
import type { Answer, ErrorAnswer, ListMetadata } from './contract.ts';

export interface Asked {
  readonly answer: Answer | undefined;
  readonly requestId: string;
  readonly again: () => void;
  /** Replaces the answer. */
  readonly put: (answer: Answer) => void;
}

export const callTool = async (
  server: string,
  tool: string,
  { input, signal }: { readonly input: object; readonly signal?: AbortSignal | undefined },
): Promise<CallResult> => {
  try {
    return await call(server, tool, { input, signal });
  } catch (error) {
    if (error instanceof ApiError) return { answer: error.answer, requestId: error.requestId, ms: 0 };
    throw error;
  }
};

export function useTool(server: string, tool: string, input: object | undefined): Asked {
  const [result, setResult] = useState<{ readonly answer: Answer; readonly requestId: string }>();
  const [attempt, setAttempt] = useState(0);
  const key = input && JSON.stringify(input);
  useEffect(() => {
    if (key === undefined) return;
    const leaving = new AbortController();
    callTool(server, tool, { input: JSON.parse(key) as object, signal: leaving.signal }).then(
      (next) => setResult(next),
      (error: unknown) => {
        if (!leaving.signal.aborted) throw error;
      },
    );
    return () => leaving.abort();
  }, [server, tool, key, attempt]);
  return {
    answer: result?.answer,
    requestId: result?.requestId ?? '',
    again: useCallback(() => setAttempt((before) => before + 1), []),
    put: useCallback((answer: Answer) => setResult({ answer, requestId: '' }), []),
  };
}

interface Added {
  readonly behind: Answer | undefined;
  readonly rows: readonly Row[];
  readonly metadata: ListMetadata | undefined;
}
export interface Pages {
  readonly rows: readonly Row[];
  readonly metadata: ListMetadata | undefined;
  readonly trouble: { readonly answer: ErrorAnswer; readonly requestId: string } | undefined;
  /** Loads the next page; undefined on the last page. */
  readonly more: (() => Promise<void>) | undefined;
}
const listed = (answer: Answer | undefined): readonly Row[] => (answer?.status === 'success' ? (answer.data as readonly Row[]) : []);

/** Collects the rows of all loaded pages. A new first page resets them. */
export function usePages(first: Answer | undefined, next: (cursor: string) => Promise<Pick<CallResult, 'answer' | 'requestId'>>): Pages {
  const [added, setAdded] = useState<Added>();
  const [trouble, setTrouble] = useState<Pages['trouble']>();
  const behind = added?.behind === first ? added : undefined;
  const metadata = behind ? behind.metadata : first?.status === 'success' ? first.metadata : undefined;
  const rows = useMemo(() => (behind ? [...listed(first), ...behind.rows] : listed(first)), [first, behind]);
  const cursor = metadata?.nextCursor;
  const more = async () => {
    const { answer, requestId } = await next(cursor ?? '');
    setTrouble(answer.status === 'error' ? { answer, requestId } : undefined);
    if (answer.status === 'success')
      setAdded({ behind: first, rows: [...(behind?.rows ?? []), ...listed(answer)], metadata: answer.metadata });
  };
  return { rows, metadata, trouble, more: cursor === undefined ? undefined : more };
}

export const canCount = ({ inputSchema }: Pick<Found, 'inputSchema'>): boolean =>
  fieldsOf(inputSchema).some(({ name, schema }) => name === 'count' && schema['type'] === 'boolean');

/** The exact number of rows that match. If more rows exist and the answer does not have the number, the list is asked for it. */
export function useCount(
  tool: Found | undefined,
  input: Readonly<Record<string, unknown>>,
  metadata: ListMetadata | undefined,
): number | undefined {
  const [count, setCount] = useState<number>();
  const isMissing =
    metadata?.hasMore === true && metadata.count === undefined && !('cursor' in input) && tool !== undefined && canCount(tool);
  const key = isMissing ? JSON.stringify({ ...input, limit: 1, count: true }) : undefined;
  const [server = '', name = ''] = [tool?.server, tool?.name];
  useEffect(() => {
    if (key === undefined) return;
    const leaving = new AbortController();
    callTool(server, name, { input: JSON.parse(key) as object, signal: leaving.signal }).then(
      ({ answer }) => setCount(answer.status === 'success' ? answer.metadata?.count : undefined),
      (error: unknown) => {
        if (!leaving.signal.aborted) throw error;
      },
    );
    return () => leaving.abort();
  }, [server, name, key]);
  return metadata?.count ?? (isMissing ? count : undefined);
}
