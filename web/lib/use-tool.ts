/** One call that a page is made of: asked when the page opens, and again when it is told to. */
import { useCallback, useEffect, useState } from 'react';
import type { Answer } from '../../src/core/answer.ts';
import { type Called, call, Refused } from './api.ts';

export interface Asked {
  readonly answer: Answer | undefined;
  readonly requestId: string;
  readonly again: () => void;
  /** Puts an answer in its place that another call gave. */
  readonly put: (answer: Answer) => void;
}

export const calling = async (server: string, tool: string, input: object, signal?: AbortSignal): Promise<Called> => {
  try {
    return await call(server, tool, input, signal);
  } catch (error) {
    if (error instanceof Refused) return { answer: error.answer, requestId: error.requestId, ms: 0 };
    throw error;
  }
};

export function useTool(server: string, tool: string, input: object | undefined): Asked {
  const [heard, setHeard] = useState<{ readonly answer: Answer; readonly requestId: string }>();
  const [attempt, setAttempt] = useState(0);
  const key = input && JSON.stringify(input);
  useEffect(() => {
    if (key === undefined) return;
    const leaving = new AbortController();
    calling(server, tool, JSON.parse(key) as object, leaving.signal).then(
      (next) => setHeard(next),
      (error: unknown) => {
        if (!leaving.signal.aborted) throw error;
      },
    );
    return () => leaving.abort();
  }, [server, tool, key, attempt]);
  return {
    answer: heard?.answer,
    requestId: heard?.requestId ?? '',
    again: useCallback(() => setAttempt((before) => before + 1), []),
    put: useCallback((answer: Answer) => setHeard({ answer, requestId: '' }), []),
  };
}
