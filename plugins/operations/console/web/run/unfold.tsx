interface Props {
  open: boolean;
  onToggle(): void;
  /** What is folded: `2 earlier passes`. */
  children: string;
}

/** Shows what is folded, and folds it again. */
export const Unfold = ({ open, onToggle, children }: Props) => (
  <button type="button" className="small" aria-expanded={open} onClick={onToggle}>
    {open ? 'Hide' : 'Show'} {children}
  </button>
);
