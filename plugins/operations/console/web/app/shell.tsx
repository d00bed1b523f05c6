import * as Dialog from '@radix-ui/react-dialog';
import { Link, useRouterState } from '@tanstack/react-router';
import { BookOpen, ChevronsUpDown, CirclePlay, LayoutDashboard, Menu, PanelLeft, Radio, SunMoon } from 'lucide-react';
import { Fragment, type ReactNode, useState } from 'react';
import type { Whoami } from '../../../../../cli/generated/api.ts';
import type { Scope } from '../api/paths.ts';
import { MenuPages } from '../extensions/menu.tsx';
import { Tip, Tips } from '../kit/tip.tsx';
import { Toasts } from '../kit/toasts.tsx';
import { AREA_ICONS } from './area-icons.ts';
import { areaOf, groupsFor } from './areas.ts';
import { useNeedsAttention } from './needs-attention.ts';
import { Palette, SearchButton } from './palette.tsx';
import { ProjectChoice } from './project-choice.tsx';
import { useMay } from './session.ts';
import { Keys } from './keys.tsx';
import { keepTheme, shownTheme } from './theme.ts';
import { UserMenu } from './user-menu.tsx';
import { IconButton } from '../kit/icon-button.tsx';

const RAIL = 'svc-nav';
const CANVAS = /\/graphs\/(?:new|[^/]+\/edit)$/;

interface Props {
  scope: Scope;
  who: Whoami;
  children: ReactNode;
}

/** The frame of all pages of a project: navigation, search, and what is told above a page. */
export function Shell({ scope, who, children }: Props) {
  // The canvas wants the width: there it begins folded, whatever is kept for the other pages.
  const canvas = useRouterState({ select: ({ location }) => CANVAS.test(location.pathname) });
  const [kept, setKept] = useState(() => localStorage.getItem(RAIL) === 'rail');
  const [unfolded, setUnfolded] = useState(false);
  const rail = canvas ? !unfolded : kept;
  const [finding, setFinding] = useState(false);
  const fold = () => {
    if (canvas) {
      setUnfolded(rail);
      return;
    }
    localStorage.setItem(RAIL, rail ? 'wide' : 'rail');
    setKept(!rail);
  };
  return (
    <Tips>
      <div className={rail ? 'shell rail' : 'shell'}>
        <a className="skip" href="#main">
          Skip to content
        </a>
        <nav className="nav" aria-label="Pages of the project">
          <ProjectPlace scope={scope} who={who} />
          <SearchButton open={() => setFinding(true)} />
          <div className="nav-pages">
            <Pages scope={scope} close={() => undefined} />
          </div>
          <div className="nav-foot">
            <UserMenu name={who.user.name} />
            <Tip text="Documentation">
              <a
                className="button ghost icon small"
                aria-label="Documentation"
                href="/docs/"
                target="_blank"
                rel="noreferrer"
              >
                <BookOpen size={16} aria-hidden />
              </a>
            </Tip>
            <Tip text="Switch theme">
              <IconButton label="Switch theme" icon={SunMoon} size={16} onClick={switchTheme} />
            </Tip>
            <Tip text={rail ? 'Expand navigation' : 'Collapse navigation'}>
              <IconButton label="Collapse navigation" icon={PanelLeft} size={16} aria-pressed={rail} onClick={fold} />
            </Tip>
          </div>
        </nav>
        <main id="main" tabIndex={-1}>
          {children}
        </main>
        <PhoneBar scope={scope} who={who} find={() => setFinding(true)} />
      </div>
      <Palette scope={scope} who={who} open={finding} onOpenChange={setFinding} />
      <Keys scope={scope} find={() => setFinding(true)} />
      <Toasts />
    </Tips>
  );
}

const switchTheme = (): void => keepTheme(shownTheme() === 'dark' ? 'light' : 'dark');

const ProjectPlace = ({ scope, who }: { scope: Scope; who: Whoami }) => (
  <div className="nav-project">
    <span className="logo">
      <svg viewBox="0 0 14 14" aria-hidden>
        <path
          d="M3 4.2h5.2a2.4 2.4 0 0 1 0 4.8M11 9.8H5.8a2.4 2.4 0 0 1 0-4.8"
          fill="none"
          stroke="currentColor"
          strokeWidth="1.8"
          strokeLinecap="round"
        />
      </svg>
    </span>
    <ProjectChoice scope={scope} who={who} />
    <ChevronsUpDown size={14} aria-hidden />
  </div>
);

function Pages({ scope, close }: { scope: Scope; close(): void }) {
  const may = useMay(scope);
  const needs: Partial<Record<string, number>> = useNeedsAttention(scope);
  return (
    <>
      {groupsFor(may).map(([group, areas]) => (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset is of a form
        <div key={group} className="nav-group" role="group" aria-label={group}>
          <p aria-hidden>{group}</p>
          {areas.map(({ to, name, exact }) => {
            const Icon = AREA_ICONS[name];
            const waits = needs[name] ?? 0;
            return (
              <Fragment key={to}>
                <Link to={to} params={scope} onClick={close} activeOptions={{ exact, includeSearch: false }}>
                  <Icon size={16} aria-hidden />
                  <span>{name}</span>
                  {waits > 0 && (
                    <span className={`count ${name === 'Connections' ? 'failed' : 'waiting'}`} title="Needs attention">
                      {waits}
                      <span className="hidden"> need attention</span>
                    </span>
                  )}
                </Link>
                <MenuPages scope={scope} below={areaOf(to)} close={close} />
              </Fragment>
            );
          })}
          {group === 'Admin' && <MenuPages scope={scope} below={undefined} close={close} />}
        </div>
      ))}
    </>
  );
}

/** On a phone: what one looks at most, the search, and everything else. */
function PhoneBar({ scope, who, find }: { scope: Scope; who: Whoami; find(): void }) {
  const { Overview: waits = 0 } = useNeedsAttention(scope);
  const [more, setMore] = useState(false);
  const here = '/orgs/$org/projects/$project';
  return (
    <nav className="phone-bar" aria-label="Main">
      <Link to={here} params={scope} activeOptions={{ exact: true, includeSearch: false }}>
        <LayoutDashboard size={20} aria-hidden />
        Overview
        {waits > 0 && <span className="count waiting">{waits}</span>}
      </Link>
      <Link to={`${here}/runs`} params={scope} activeOptions={{ includeSearch: false }}>
        <CirclePlay size={20} aria-hidden />
        Runs
      </Link>
      <Link to={`${here}/events`} params={scope} activeOptions={{ includeSearch: false }}>
        <Radio size={20} aria-hidden />
        Events
      </Link>
      <SearchButton phone open={find} />
      <Dialog.Root open={more} onOpenChange={setMore}>
        <Dialog.Trigger>
          <Menu size={20} aria-hidden />
          More
        </Dialog.Trigger>
        <Dialog.Portal>
          <Dialog.Overlay className="overlay" />
          <Dialog.Content className="sheet phone-menu" aria-describedby={undefined}>
            <Dialog.Title className="hidden">All pages</Dialog.Title>
            <ProjectPlace scope={scope} who={who} />
            <Pages scope={scope} close={() => setMore(false)} />
            <div className="nav-foot">
              <UserMenu name={who.user.name} />
              <a className="button ghost small" href="/docs/" target="_blank" rel="noreferrer">
                Documentation
              </a>
            </div>
          </Dialog.Content>
        </Dialog.Portal>
      </Dialog.Root>
    </nav>
  );
}
