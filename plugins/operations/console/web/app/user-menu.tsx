import * as Menu from '@radix-ui/react-dropdown-menu';
import { Check } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { Refusal } from '../api/client.ts';
import { signOut } from '../api/session.ts';
import { forgetPins } from '../graphs/node/pins.ts';
import { Avatar } from '../kit/avatar.tsx';
import { visible } from '../kit/text.ts';
import { toast } from '../kit/toasts.tsx';
import { useSession } from './session.ts';
import { keepTheme, onThemeChange, readTheme, THEMES, type Theme } from './theme.ts';

export function UserMenu({ name }: { name: string }) {
  const take = useSession();
  const theme = useSyncExternalStore(onThemeChange, readTheme);
  const leave = async (everywhere: boolean) => {
    try {
      await signOut(everywhere);
    } catch (error) {
      // A session that is over already is what was wanted; any other one goes on, and must not look ended.
      if (!(error instanceof Refusal && error.status === 401)) {
        toast(error instanceof Error ? error.message : String(error), { state: 'failed' });
        return;
      }
    }
    forgetPins();
    await take(null);
  };
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger className="user">
        <Avatar name={name} />
        <span className="clip">{visible(name)}</span>
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Content className="menu" align="start" side="top" sideOffset={4}>
          <Menu.Label className="quiet">Theme</Menu.Label>
          <Menu.RadioGroup value={theme} onValueChange={(value) => keepTheme(value as Theme)}>
            {THEMES.map(([value, label]) => (
              <Menu.RadioItem key={value} value={value} className="item">
                {label}
                <Menu.ItemIndicator className="chosen">
                  <Check size={14} aria-hidden />
                </Menu.ItemIndicator>
              </Menu.RadioItem>
            ))}
          </Menu.RadioGroup>
          <Menu.Separator className="line" />
          <Menu.Item className="item" onSelect={() => void leave(false)}>
            Sign out
          </Menu.Item>
          <Menu.Item className="item" onSelect={() => void leave(true)}>
            Sign out everywhere
          </Menu.Item>
        </Menu.Content>
      </Menu.Portal>
    </Menu.Root>
  );
}
