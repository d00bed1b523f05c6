import { useState } from 'react';

interface Sending {
  busy: boolean;
  /** What the last one failed of; undefined while one is under way and after one that went well. */
  error: unknown;
  /** True when it went well. */
  send(what: () => Promise<unknown>): Promise<boolean>;
}

/** What a button or a form does: one at a time, and what it failed of is there to be shown. */
export function useSending(): Sending {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const send = async (what: () => Promise<unknown>) => {
    setBusy(true);
    setError(undefined);
    try {
      await what();
      return true;
    } catch (fault) {
      setError(fault);
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { busy, error, send };
}

/** The fields by their names. What has spaces around it keeps them: a password may. */
export function fieldsOf(form: HTMLFormElement): Record<string, string> {
  const texts = [...new FormData(form)].filter(([, value]) => typeof value === 'string');
  return Object.fromEntries(texts) as Record<string, string>;
}
