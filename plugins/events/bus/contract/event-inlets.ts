import { extensionPoint } from '../../../../kernel/contracts/index.ts';
import type { ProjectScope } from '../contract.ts';

/** A resource through which events come into a project. */
export interface EventInlet {
  /** `event-hook`, `webhook`, `trigger` or `schedule`. */
  kind: string;
  name: string;
  /** Patterns of the types that it records. */
  types: readonly string[];
  /** Whether its events can be trusted, and whether they can be untrusted. */
  trusted: boolean;
  untrusted: boolean;
  /** The credential that reads the repository of its events. */
  credential?: string | undefined;
}

export interface EventInlets {
  name: string;
  /** Returns at most `limit` of them, in one statement. */
  list(scope: ProjectScope, limit: number): Promise<readonly EventInlet[]>;
}

export const EventInlets = extensionPoint<EventInlets>('bus.EventInlets', { key: ({ name }) => name });
