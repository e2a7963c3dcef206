/** A search input with an icon and a label. */
import { Icon } from './icon.tsx';

export const SearchField = ({
  label,
  placeholder = label,
  value,
  onChange,
  className = '',
}: {
  readonly label: string;
  readonly placeholder?: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly className?: string;
}) => (
  <div className={`search ${className}`.trim()}>
    <Icon name="search" />
    <input
      className="input"
      type="search"
      aria-label={label}
      placeholder={placeholder}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    />
  </div>
);
