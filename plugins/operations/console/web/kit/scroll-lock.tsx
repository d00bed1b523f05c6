import { Slot } from '@radix-ui/react-slot';
import { type ReactNode, type Ref, useEffect } from 'react';

interface Props {
  as?: unknown;
  children: ReactNode;
  enabled?: boolean;
  ref?: Ref<HTMLElement>;
}

/**
 * Stands for `react-remove-scroll`, which Radix asks for: the page behind an open dialog does not scroll. It sets a member
 * of the style where the other one adds a style element.
 */
export function RemoveScroll({ children, enabled = true, ref }: Props) {
  useEffect(() => {
    if (!enabled) return undefined;
    const { style } = document.documentElement;
    const before = style.overflow;
    style.overflow = 'hidden';
    return () => {
      style.overflow = before;
    };
  }, [enabled]);
  return <Slot ref={ref}>{children}</Slot>;
}
