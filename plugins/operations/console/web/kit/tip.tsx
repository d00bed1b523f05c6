import * as Tooltip from '@radix-ui/react-tooltip';
import type { ReactNode } from 'react';

/** What a button of an icon does, shown when it is pointed at or has the focus. The button has the name itself. */
export const Tip = ({ text, children }: { text: string; children: ReactNode }) => (
  <Tooltip.Root>
    <Tooltip.Trigger asChild>{children}</Tooltip.Trigger>
    <Tooltip.Portal>
      <Tooltip.Content className="tip" sideOffset={6} collisionPadding={8}>
        {text}
      </Tooltip.Content>
    </Tooltip.Portal>
  </Tooltip.Root>
);

/** One delay for all tips of a page: when one was shown, the next one is shown at once. */
export const Tips = ({ children }: { children: ReactNode }) => (
  <Tooltip.Provider delayDuration={400} skipDelayDuration={200}>
    {children}
  </Tooltip.Provider>
);
