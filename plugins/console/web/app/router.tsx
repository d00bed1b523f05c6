import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { readWindow } from '../overview/windows.ts';
import { readRunFilters } from '../runs/filters.ts';
import { Home } from './home.tsx';
import { Missing } from './missing.tsx';
import { ProjectLayout } from './project.tsx';
import { SignIn } from './sign-in.tsx';

const root = createRootRoute({ notFoundComponent: Missing });

const home = createRoute({ getParentRoute: () => root, path: '/', component: Home });

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  component: SignIn,
  validateSearch: ({ back }: Record<string, unknown>): { back?: string } => (typeof back === 'string' ? { back } : {}),
});

export const project = createRoute({
  getParentRoute: () => root,
  path: '/orgs/$org/projects/$project',
  component: ProjectLayout,
});

const overview = createRoute({
  getParentRoute: () => project,
  path: '/',
  component: lazyRouteComponent(() => import('../overview/overview.tsx'), 'Overview'),
  validateSearch: readWindow,
});

export const runs = createRoute({
  getParentRoute: () => project,
  path: 'runs',
  component: lazyRouteComponent(() => import('../runs/runs.tsx'), 'Runs'),
  validateSearch: readRunFilters,
});

export const run = createRoute({
  getParentRoute: () => project,
  path: 'runs/$run',
  component: lazyRouteComponent(() => import('../run/run.tsx'), 'Run'),
});

export const connections = createRoute({
  getParentRoute: () => project,
  path: 'connections',
  component: lazyRouteComponent(() => import('../connections/connections.tsx'), 'Connections'),
});

export const router = createRouter({
  routeTree: root.addChildren([home, signIn, project.addChildren([overview, runs, run, connections])]),
  defaultPreload: 'intent',
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
