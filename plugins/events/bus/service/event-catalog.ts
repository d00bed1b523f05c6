import type { Database } from '../../../../kernel/contracts/index.ts';
import type { Json } from '../../../engine/runs/contract.ts';
import type { DeclaredTypes, ProjectScope } from '../contract.ts';
import { isPlatform, PLATFORM_TYPES } from '../domain/platform-types.ts';
import { toSample } from '../domain/sample.ts';
import { type SeenType, listSeenTypes } from '../store/types.ts';
import type { EventViews } from './event-views.ts';

/** An event type that a project knows. */
export interface CatalogEntry {
  type: string;
  source: 'platform' | 'declared' | 'seen';
  /** The payload of the latest event, shortened and masked. */
  sample?: Json;
  /** Epoch ms. */
  last_seen?: number;
}

/**
 * The event types to wait for: those of the service, those that the project's resources declare, and those seen so
 * far.
 */
export interface EventCatalog {
  /** Lists types in byte order, starting after `after`. */
  list(scope: ProjectScope, after: string, limit: number): Promise<{ types: CatalogEntry[]; has_more: boolean }>;
}

export interface CatalogDeps {
  database: Pick<Database, 'read' | 'sql'>;
  declared: readonly DeclaredTypes[];
  views: Pick<EventViews, 'samples'>;
}

export function createEventCatalog(deps: CatalogDeps): EventCatalog {
  return {
    async list(scope, after, limit) {
      const seen = new Map((await listSeenTypes(deps.database, scope, after, limit + 1)).map((row) => [row.type, row]));
      const declared = new Set<string>();
      for (const source of deps.declared) for (const type of await source.types(scope)) declared.add(type);
      const all = [...new Set([...PLATFORM_TYPES, ...declared, ...seen.keys()])]
        .filter((type) => type > after)
        .sort((a, b) => (a < b ? -1 : 1));
      const page = all.slice(0, limit);
      const seen_on_page = page.flatMap((type): SeenType[] => {
        const row = seen.get(type);
        return row ? [row] : [];
      });
      const samples = await deps.views.samples(scope, seen_on_page);
      const types = page.map((type): CatalogEntry => {
        const row = seen.get(type);
        const sample = row && samples.get(row.last_event);
        return {
          type,
          source: isPlatform(type) ? 'platform' : declared.has(type) ? 'declared' : 'seen',
          sample: sample === undefined ? undefined : toSample(sample),
          last_seen: row?.last_seen,
        };
      });
      return { types, has_more: all.length > limit };
    },
  };
}
