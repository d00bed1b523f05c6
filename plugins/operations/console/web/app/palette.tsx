import * as Dialog from '@radix-ui/react-dialog';
import { Search } from 'lucide-react';
import { lazy, Suspense } from 'react';
import type { Whoami } from '../../../../../cli/generated/api.ts';
import type { Scope } from '../api/paths.ts';

const Finder = lazy(() => import('./finder.tsx'));

interface Props {
  scope: Scope;
  who: Whoami;
  open: boolean;
  onOpenChange(open: boolean): void;
}

/** Goes to pages, graphs, handlers, schedules, projects and runs by their names and ids, and does what is done most. */
export const Palette = ({ scope, who, open, onOpenChange }: Props) => (
  <Dialog.Root open={open} onOpenChange={onOpenChange}>
    <Dialog.Portal>
      <Dialog.Overlay className="overlay" />
      <Dialog.Content className="dialog palette" aria-describedby={undefined}>
        <Dialog.Title className="hidden">Search or run</Dialog.Title>
        <Suspense fallback={<div className="q" />}>
          <Finder scope={scope} who={who} close={() => onOpenChange(false)} />
        </Suspense>
      </Dialog.Content>
    </Dialog.Portal>
  </Dialog.Root>
);

export const MOD = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl ';

export const SearchButton = ({ open, phone = false }: { open(): void; phone?: boolean }) =>
  phone ? (
    <button type="button" onClick={open}>
      <Search size={20} aria-hidden />
      Search
    </button>
  ) : (
    <button type="button" className="nav-search" onClick={open}>
      <Search size={14} aria-hidden />
      <span>Search or run…</span>
      <kbd>{MOD}K</kbd>
    </button>
  );
