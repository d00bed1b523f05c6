import { token } from '../../../../kernel/contracts/index.ts';

/** Tells the deliverer of this process, after a commit, that waits or cancels were matched. */
export interface MatchNotifier {
  notify(): void;
  onMatch(listen: () => void): () => void;
}

export const MatchNotifier = token<MatchNotifier>('bus.FiredNotifier');

/** It is a service of its own because delivering needs the engine, and the engine emits events. */
export function createMatchNotifier(): MatchNotifier {
  const listeners = new Set<() => void>();
  return {
    notify() {
      for (const listener of [...listeners]) listener();
    },
    onMatch(listen) {
      listeners.add(listen);
      return () => {
        listeners.delete(listen);
      };
    },
  };
}
