import { Search } from 'lucide-react';

interface Props {
  label: string;
  hint: string;
  text: string;
  onChange(text: string): void;
}

/** Narrows what is shown, as it is typed. */
export const Find = ({ label, hint, text, onChange }: Props) => (
  <div className="find">
    <Search size={14} aria-hidden />
    <input
      type="search"
      aria-label={label}
      placeholder={hint}
      value={text}
      onChange={({ target }) => onChange(target.value)}
    />
  </div>
);
