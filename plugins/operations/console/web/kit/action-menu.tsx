import * as Menu from '@radix-ui/react-dropdown-menu';
import { Ellipsis, type LucideIcon } from 'lucide-react';
import { type ReactNode, useState } from 'react';

export interface Action {
  icon: LucideIcon;
  label: string;
  danger?: boolean;
  /** What it does at once. */
  run?(): void;
  /** What it opens: a question or a form. */
  opens?(close: () => void): ReactNode;
}

interface Props {
  /** `Actions for nightly`. */
  label: string;
  /** Those that the reader may; others are left out. */
  actions: readonly (Action | false | undefined)[];
  /** In a row. */
  small?: boolean;
}

/** What can be done with a thing, behind one button. */
export function ActionMenu({ label, actions, small = false }: Props) {
  const [opened, setOpened] = useState<string>();
  const shown = actions.filter((one): one is Action => !!one);
  if (shown.length === 0) return null;
  return (
    <>
      <Menu.Root modal={false}>
        <Menu.Trigger className={small ? 'ghost icon small' : 'icon'} aria-label={label}>
          <Ellipsis size={16} aria-hidden />
        </Menu.Trigger>
        <Menu.Portal>
          <Menu.Content className="menu" align="end" sideOffset={4} collisionPadding={8}>
            {shown.map(({ icon: Icon, label: name, danger, run, opens }) => (
              <Menu.Item
                key={name}
                className={danger ? 'item danger' : 'item'}
                onSelect={() => (opens ? setOpened(name) : run?.())}
              >
                <Icon size={16} aria-hidden /> {name}
              </Menu.Item>
            ))}
          </Menu.Content>
        </Menu.Portal>
      </Menu.Root>
      {shown.find(({ label: name }) => name === opened)?.opens?.(() => setOpened(undefined))}
    </>
  );
}
