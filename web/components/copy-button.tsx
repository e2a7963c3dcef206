/** A button that copies text to the clipboard. */
import { useState } from 'react';
import { Icon } from './icon.tsx';

export function CopyButton({
  label,
  text,
  className = '',
}: {
  readonly label: string;
  readonly text: () => string;
  readonly className?: string;
}) {
  const [said, setSaid] = useState('');
  const say = (words: string) => {
    setSaid(words);
    setTimeout(() => setSaid(''), 1500);
  };
  return (
    <button
      className={`btn btn--quiet btn--sm ${className}`}
      type="button"
      onClick={() => {
        navigator.clipboard.writeText(text()).then(
          () => say('Copied'),
          () => say('Copying is blocked'),
        );
      }}
    >
      <Icon name="copy" className="i-14" />
      <span aria-live="polite">{said || label}</span>
    </button>
  );
}
