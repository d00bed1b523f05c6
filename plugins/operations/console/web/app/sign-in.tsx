import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, useEffect, useRef } from 'react';
import { readMethods, type Session, signInByCode, signInByToken } from '../api/session.ts';
import { Problem } from '../kit/basics.tsx';
import { useSending } from '../kit/sending.ts';
import { useSession } from './session.ts';

/** Only a path of this site: an address that somebody else wrote must not lead away. */
const safe = (back: string | undefined): string => (back && /^\/(?![/\\])/.test(back) ? back : '/');

export function SignIn() {
  const { back } = useSearch({ from: '/sign-in' });
  const navigate = useNavigate();
  const take = useSession();
  const { busy, error, send } = useSending();
  const signIn = async (begin: () => Promise<Session>) => {
    await send(async () => {
      await take(await begin());
      await navigate({ to: safe(back), replace: true });
    });
  };
  useOneTimeCode((code) => void signIn(() => signInByCode(code)));
  return (
    <main className="alone">
      <section className="panel">
        <h1>Sign in to svc</h1>
        {error !== undefined && <Problem error={error} />}
        <TokenForm busy={busy} onToken={(token) => void signIn(() => signInByToken(token))} />
        <Issuer back={safe(back)} />
        <p className="quiet">
          <code>svc console</code> opens this page signed in; <code>svc token create</code> creates a token.
        </p>
      </section>
    </main>
  );
}

function TokenForm({ busy, onToken }: { busy: boolean; onToken(token: string): void }) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const token = field.current!.value.trim();
    field.current!.value = '';
    if (token) onToken(token);
  };
  return (
    <form onSubmit={submit}>
      <label htmlFor="token">Access token</label>
      <div className="row">
        <input id="token" ref={field} type="password" autoComplete="off" spellCheck={false} required />
        <button type="submit" className="main" disabled={busy}>
          Sign in
        </button>
      </div>
    </form>
  );
}

function Issuer({ back }: { back: string }) {
  const { data } = useQuery({ queryKey: ['sign-in methods'], queryFn: readMethods, retry: false });
  if (!data?.oidc) return null;
  return (
    <p>
      <a className="button" href={`${data.oidc.start}?to=${encodeURIComponent(back)}`}>
        Sign in with {data.oidc.title}
      </a>
    </p>
  );
}

/**
 * Takes the code of a one-time link out of the address, so that it stands in no history. A link that is opened where this page
 * stands already changes nothing but what follows the `#`.
 */
function useOneTimeCode(use: (code: string) => void): void {
  const latest = useRef(use);
  latest.current = use;
  useEffect(() => {
    const take = () => {
      const code = location.hash.slice(1);
      if (!code) return;
      history.replaceState(history.state, '', location.pathname + location.search);
      latest.current(code);
    };
    take();
    addEventListener('hashchange', take);
    return () => removeEventListener('hashchange', take);
  }, []);
}
