/** For patterns of names: what the API takes. */
export const NAME = '[A-Za-z0-9][A-Za-z0-9_\\-]{0,62}';
export const NAME_WANTS = 'Letters, digits, _ and -, at most 63';

/** Several lines. */
export const LongField = ({
  name,
  label,
  value,
  rows = 3,
  hint,
}: {
  name: string;
  label: string;
  value?: string;
  rows?: number;
  hint?: string;
}) => (
  <label>
    {label}
    <textarea name={name} rows={rows} spellCheck={false} defaultValue={value} />
    {hint && <span className="hint">{hint}</span>}
  </label>
);

/** Says `on` when it is ticked. */
export const CheckField = ({ name, label, value = false }: { name: string; label: string; value?: boolean }) => (
  <label className="check">
    <input type="checkbox" name={name} defaultChecked={value} /> {label}
  </label>
);
