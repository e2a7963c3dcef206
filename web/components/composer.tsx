/** The question field with its send and stop buttons. */
import { type RefObject, useEffect, useRef } from 'react';
import { Icon } from './icon.tsx';

interface ComposerProps {
  readonly draft: string;
  readonly onDraft: (draft: string) => void;
  readonly onAsk: () => void;
  readonly onStop: () => void;
  readonly answering: boolean;
  /** Seconds until the rate limit lets the question through. */
  readonly waits: number;
  readonly placeholder: string;
  readonly model: string | undefined;
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly long?: boolean;
}
const LONGEST = 4000;

export function Composer({ draft, onDraft, onAsk, onStop, answering, waits, placeholder, model, field, long = false }: ComposerProps) {
  const composing = useRef(false);
  useEffect(() => {
    const area = field.current;
    if (!area || CSS.supports('field-sizing', 'content')) return;
    area.style.height = 'auto';
    area.style.height = `${area.scrollHeight}px`;
  }, [draft, field]);
  const ready = draft.trim() !== '' && !answering && waits === 0;
  return (
    <form
      className="composer"
      aria-label="Ask"
      onSubmit={(event) => {
        event.preventDefault();
        if (answering) onStop();
        else if (ready) onAsk();
      }}
    >
      <label className="sr" htmlFor="question">
        Your question
      </label>
      <textarea
        id="question"
        ref={field}
        rows={1}
        maxLength={LONGEST}
        placeholder={placeholder}
        value={draft}
        onChange={({ target }) => onDraft(target.value)}
        onCompositionStart={() => (composing.current = true)}
        onCompositionEnd={() => (composing.current = false)}
        onKeyDown={(event) => {
          if (event.key === 'Escape' && answering) {
            event.preventDefault();
            onStop();
          }
          if (event.key !== 'Enter' || event.shiftKey || event.metaKey || event.ctrlKey || composing.current) return;
          event.preventDefault();
          if (ready) onAsk();
        }}
      />
      <div className="composer-bar">
        {model && <span className="badge badge--line">{model === 'offline' ? 'Offline assistant' : model}</span>}
        <span className="grow" />
        {waits > 0 ? (
          <span className="small faint num" role="timer">
            {waits} s
          </span>
        ) : (
          <span className="small faint hide-s">
            {answering ? (
              <>
                <span className="kbd">Esc</span> stops
              </>
            ) : (
              <>
                <span className="kbd">Enter</span> asks
                {long && (
                  <>
                    , <span className="kbd">Shift</span> <span className="kbd">Enter</span> new line
                  </>
                )}
              </>
            )}
          </span>
        )}
        <button className="send" type="submit" aria-label={answering ? 'Stop' : 'Ask'} aria-disabled={!answering && !ready}>
          <Icon name={answering ? 'stop' : 'up'} />
        </button>
      </div>
    </form>
  );
}
