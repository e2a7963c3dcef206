import { Icon } from './icon.tsx';

/** Words to look for, above whatever they narrow down. */
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
