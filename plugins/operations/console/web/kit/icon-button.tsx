import type { LucideIcon } from 'lucide-react';
import type { ComponentProps } from 'react';

interface Props extends ComponentProps<'button'> {
  /** Read out instead of the icon. */
  label: string;
  icon: LucideIcon;
  /** In pixels. */
  size?: number;
}

/** A button that shows only an icon. */
export const IconButton = ({ label, icon: Icon, size = 14, ...button }: Props) => (
  <button type="button" className="ghost icon small" aria-label={label} {...button}>
    <Icon size={size} aria-hidden />
  </button>
);
