import type { AnyRouter } from '@tanstack/react-router';
import type { ConsoleContext } from '../../contract/context.ts';
import { ask } from '../api/client.ts';
import { watch } from '../api/live.ts';
import { type Scope, scoped } from '../api/paths.ts';
import type { Role } from '../app/session.ts';
import { onThemeChange, shownTheme } from '../app/theme.ts';
import { visible } from '../kit/text.ts';

interface Parts {
  scope: Scope;
  subject: Pick<ConsoleContext, 'run' | 'event'>;
  may(role: Role): boolean;
  router: Pick<AnyRouter, 'history'>;
  fail(error: unknown): void;
}

/** What a module gets, and what ends all that it opened by it. */
export function createContext({ scope, subject, may, router, fail }: Parts): {
  context: ConsoleContext;
  close(): void;
} {
  const gone = new AbortController();
  const open = new Set<() => void>();
  /** Ends by itself at the latest when the person leaves. */
  const owned = (end: () => void) => {
    const once = () => {
      if (open.delete(once)) end();
    };
    open.add(once);
    return once;
  };
  const { org, project } = scope;
  const href = (path: string) =>
    `/orgs/${encodeURIComponent(org)}/projects/${encodeURIComponent(project)}${path === '/' ? '' : path}`;
  const context: ConsoleContext = Object.freeze({
    ...{ org, project, ...subject, may, href, fail, visible },
    scoped: (path: string) => scoped(scope, path),
    api: (path, request = {}) => {
      if (!path.startsWith('/api/')) throw new Error(`"${path}" is not an API path; API paths begin with /api/`);
      const signal = request.signal ? AbortSignal.any([gone.signal, request.signal]) : gone.signal;
      return ask(path, { ...request, signal });
    },
    live: (topics, on) => owned(watchWhileSeen(scope, topics, on)),
    navigate: (path: string) => router.history.push(href(path)),
    theme: shownTheme,
    onTheme: (on) => owned(onThemeChange(() => on(shownTheme()))),
  } satisfies ConsoleContext);
  return {
    context,
    close() {
      gone.abort();
      for (const end of [...open]) end();
    },
  };
}

/** No stream while the tab is behind others: browsers allow few connections to one server, all tabs together. */
function watchWhileSeen(scope: Scope, topics: string, on: (kind: string, data: unknown) => void): () => void {
  let end: (() => void) | undefined;
  const look = () => {
    if (document.visibilityState === 'visible') end ??= watch(scope, topics, { state: () => undefined, on });
    else {
      end?.();
      end = undefined;
    }
  };
  look();
  document.addEventListener('visibilitychange', look);
  return () => {
    document.removeEventListener('visibilitychange', look);
    end?.();
  };
}
