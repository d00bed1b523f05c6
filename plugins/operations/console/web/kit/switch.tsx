interface Props {
  label: string;
  on: boolean;
  disabled?: boolean;
  onChange(on: boolean): void;
}

/** On or off, at once. */
export const Switch = ({ label, on, disabled = false, onChange }: Props) => (
  <button
    type="button"
    role="switch"
    className="switch"
    aria-checked={on}
    aria-label={label}
    title={label}
    disabled={disabled}
    onClick={() => onChange(!on)}
  />
);
