import * as Menu from '@radix-ui/react-dropdown-menu';
import { Link, useNavigate } from '@tanstack/react-router';
import { Fragment, type ReactNode, useState } from 'react';
import type { Whoami } from '../../../../cli/generated/api.ts';
import type { Scope } from '../api/paths.ts';
import { Refusal } from '../api/client.ts';
import { signOut } from '../api/session.ts';
import { Problem } from '../kit/basics.tsx';
import { visible } from '../kit/text.ts';
import { Palette } from './palette.tsx';
import { MenuPages } from '../extensions/menu.tsx';
import { areaOf, areasFor } from './areas.ts';
import { projectsOf, useMay, useSession } from './session.ts';
import { keepTheme, readTheme, THEMES, type Theme } from './theme.ts';

export function Shell({ scope, who, children }: { scope: Scope; who: Whoami; children: ReactNode }) {
  const [open, setOpen] = useState(false);
  const may = useMay(scope);
  return (
    <div className="shell">
      <a className="skip" href="#main">
        Skip to content
      </a>
      <header className="top">
        <button type="button" className="burger" aria-expanded={open} onClick={() => setOpen(!open)}>
          Menu
        </button>
        <Link to="/" className="brand">
          svc
        </Link>
        <ProjectChoice scope={scope} who={who} />
        <Palette scope={scope} who={who} />
        <UserMenu name={who.user.name} />
      </header>
      <nav className={open ? 'areas open' : 'areas'} aria-label="Pages of the project">
        {areasFor(may).map(({ to, name, exact }) => (
          <Fragment key={to}>
            <Link to={to} params={scope} onClick={() => setOpen(false)} activeOptions={{ exact, includeSearch: false }}>
              {name}
            </Link>
            <MenuPages scope={scope} below={areaOf(to)} close={() => setOpen(false)} />
          </Fragment>
        ))}
        <MenuPages scope={scope} below={undefined} close={() => setOpen(false)} />
      </nav>
      <main id="main" tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}

function ProjectChoice({ scope, who }: { scope: Scope; who: Whoami }) {
  const navigate = useNavigate();
  const all = projectsOf(who);
  const chosen = `${scope.org}/${scope.project}`;
  const known = all.some(({ org, project }) => `${org}/${project}` === chosen);
  const go = (name: string) => {
    const [org = '', project = ''] = name.split('/');
    void navigate({ to: '/orgs/$org/projects/$project', params: { org, project } });
  };
  return (
    <select aria-label="Project" value={chosen} onChange={({ target }) => go(target.value)}>
      {!known && <option value={chosen}>{visible(chosen)}</option>}
      {all.map(({ org, project }) => (
        <option key={`${org}/${project}`} value={`${org}/${project}`}>
          {org}/{project}
        </option>
      ))}
    </select>
  );
}

function UserMenu({ name }: { name: string }) {
  const take = useSession();
  const [theme, setTheme] = useState(readTheme);
  const [problem, setProblem] = useState<unknown>();
  const leave = async (everywhere: boolean) => {
    setProblem(undefined);
    try {
      await signOut(everywhere);
    } catch (error) {
      // A session that is over already is what was wanted; any other one goes on, and must not look ended.
      if (!(error instanceof Refusal && error.status === 401)) {
        setProblem(error);
        return;
      }
    }
    await take(null);
  };
  return (
    <>
      {problem !== undefined && (
        <div className="toast">
          <Problem error={problem} />
        </div>
      )}
      <Menu.Root modal={false}>
        <Menu.Trigger className="user">{visible(name)}</Menu.Trigger>
        <Menu.Portal>
          <Menu.Content className="menu" align="end" sideOffset={4}>
            <Menu.Label className="quiet">Colours</Menu.Label>
            <Menu.RadioGroup
              value={theme}
              onValueChange={(value) => {
                setTheme(value as Theme);
                keepTheme(value as Theme);
              }}
            >
              {THEMES.map(([value, label]) => (
                <Menu.RadioItem key={value} value={value} className="item">
                  <Menu.ItemIndicator className="chosen">✓</Menu.ItemIndicator>
                  {label}
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
    </>
  );
}
