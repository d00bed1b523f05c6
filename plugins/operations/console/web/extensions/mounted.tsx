import { useRouter } from '@tanstack/react-router';
import { type MouseEvent, useEffect, useRef, useState } from 'react';
import type { ConsoleModule } from '../../contract/context.ts';
import type { Scope } from '../api/paths.ts';
import { useMay } from '../app/session.ts';
import { Loading, Problem } from '../kit/basics.tsx';
import { createContext } from './context.ts';
import { errorsOf } from './errors.ts';

/** What the page of a panel is about. */
export interface Subject {
  run?: string;
  event?: string;
}

/**
 * The place of a plugin's module. Whatever goes wrong in the module is shown here. Its element is never drawn by anybody else.
 */
export function Mounted({ scope, module, of }: { scope: Scope; module: string; of: Subject }) {
  const place = useRef<HTMLDivElement>(null);
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(true);
  const [turn, setTurn] = useState(0);
  const router = useRouter();
  const may = useMay(scope);
  const latest = useRef(may);
  latest.current = may;
  const { org, project } = scope;
  const { run, event } = of;
  useEffect(() => {
    // A further try loads the module anew: a browser keeps one that failed.
    const url = turn === 0 ? module : `${module}?again=${turn}`;
    let left = false;
    const fail = (fault: unknown) => {
      if (!left) setError(fault ?? new Error('The module failed.'));
    };
    const subject = { ...(run !== undefined && { run }), ...(event !== undefined && { event }) };
    const may: typeof latest.current = (role) => latest.current(role);
    const { context, close } = createContext({ scope: { org, project }, subject, may, router, fail });
    const unlisten = errorsOf(module, fail);
    const unmount = mountModule(url, place.current!, context, fail, () => setBusy(false));
    return () => {
      left = true;
      unmount();
      close();
      unlisten();
    };
  }, [org, project, run, event, module, turn, router]);
  const again = () => {
    setError(undefined);
    setBusy(true);
    setTurn(turn + 1);
  };
  /** Links of the module lead on within the console. */
  const follow = (click: MouseEvent<HTMLDivElement>) => {
    const link = (click.target as Element).closest('a');
    const plain = click.button === 0 && !click.metaKey && !click.ctrlKey && !click.shiftKey && !click.altKey;
    if (!link || !plain || click.defaultPrevented || link.target || link.hasAttribute('download')) return;
    const { origin, pathname, search, hash } = new URL(link.href, location.href);
    if (origin !== location.origin || !pathname.startsWith('/orgs/')) return;
    click.preventDefault();
    router.history.push(pathname + search + hash);
  };
  return (
    <>
      {error !== undefined && <Problem error={error} again={again} />}
      {busy && error === undefined && <Loading />}
      {/* biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: links inside handle keys */}
      <div ref={place} key={turn} className="extension" hidden={error !== undefined} onClick={follow} />
    </>
  );
}

/** The returned function ends what the module began, also when it is still beginning. */
function mountModule(
  url: string,
  element: HTMLElement,
  context: Parameters<ConsoleModule['mount']>[1],
  fail: (error: unknown) => void,
  done: () => void,
): () => void {
  let left = false;
  let end: (() => void) | undefined;
  const leave = () => {
    try {
      end?.();
    } catch (error) {
      // Nobody looks at this place any more, but its author looks here.
      console.warn(`the module ${url} failed while closing its page`, error);
    }
    end = undefined;
  };
  const begin = async () => {
    const loaded = (await import(/* @vite-ignore */ url)) as Partial<ConsoleModule>;
    if (typeof loaded.mount !== 'function') throw new Error(`${url} does not export a mount function.`);
    if (left) return;
    const ended = await loaded.mount(element, context);
    if (typeof ended === 'function') end = ended;
    if (left) leave();
  };
  begin().then(done, (error: unknown) => {
    if (!left) fail(error);
  });
  return () => {
    left = true;
    leave();
    element.replaceChildren();
  };
}
