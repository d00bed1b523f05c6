import { useEffect } from 'react';

/** A link may lead to one row of a list: `…/connections#mail`. */
export function useTarget(ready: boolean): void {
  useEffect(() => {
    if (ready) document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
  }, [ready]);
}
