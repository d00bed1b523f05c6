import { token } from '../../../kernel/contracts/index.ts';

/** Notified in this process after a commit that fired something: the deliverer has work. */
export interface FiredNotifier {
  notify(): void;
  onFired(listen: () => void): () => void;
}

export const FiredNotifier = token<FiredNotifier>('bus.FiredNotifier');

/** A separate service, because delivering needs the engine and the engine emits events. */
export function createFiredNotifier(): FiredNotifier {
  const listeners = new Set<() => void>();
  return {
    notify() {
      for (const listen of [...listeners]) listen();
    },
    onFired(listen) {
      listeners.add(listen);
      return () => {
        listeners.delete(listen);
      };
    },
  };
}
