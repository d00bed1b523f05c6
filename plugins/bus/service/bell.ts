import { token } from '../../../kernel/contracts/index.ts';

/** Rung in this process after the commit that fired something: the deliverer has work. */
export interface FiredBell {
  ring(): void;
  onRing(listen: () => void): () => void;
}

export const FiredBell = token<FiredBell>('bus.FiredBell');

/** Who makes events must not need who delivers them, for delivering needs the engine, and the engine makes events. */
export function createBell(): FiredBell {
  const listeners = new Set<() => void>();
  return {
    ring() {
      for (const listen of [...listeners]) listen();
    },
    onRing(listen) {
      listeners.add(listen);
      return () => {
        listeners.delete(listen);
      };
    },
  };
}
