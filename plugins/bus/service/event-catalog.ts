import type { Database } from '../../../kernel/contracts/index.ts';
import type { Json } from '../../runs/contract.ts';
import type { DeclaredTypes, ProjectScope } from '../contract.ts';
import { isPlatform, PLATFORM_TYPES } from '../domain/platform-types.ts';
import { sampleOf } from '../domain/sample.ts';
import { type SeenType, seenTypes } from '../store/types.ts';
import type { EventViews } from './event-views.ts';

/** An event type that a project knows. */
export interface CatalogEntry {
  type: string;
  source: 'platform' | 'declared' | 'seen';
  /** From the last event: its payload, shortened and masked. */
  sample?: Json;
  /** Epoch ms. */
  last_seen?: number;
}

/** Types to wait for: those of the service, those that the project's resources declare, and those seen. */
export interface EventCatalog {
  /** In byte order of the types, beginning after `after`. */
  list(scope: ProjectScope, after: string, limit: number): Promise<{ types: CatalogEntry[]; more: boolean }>;
}

export interface CatalogParts {
  database: Pick<Database, 'read' | 'sql'>;
  declared: readonly DeclaredTypes[];
  views: Pick<EventViews, 'samples'>;
}

export function createEventCatalog(parts: CatalogParts): EventCatalog {
  return {
    async list(scope, after, limit) {
      const seen = new Map((await seenTypes(parts.database, scope, after, limit + 1)).map((row) => [row.type, row]));
      const declared = new Set<string>();
      for (const one of parts.declared) for (const type of await one.types(scope)) declared.add(type);
      const all = [...new Set([...PLATFORM_TYPES, ...declared, ...seen.keys()])]
        .filter((type) => type > after)
        .sort((a, b) => (a < b ? -1 : 1));
      const page = all.slice(0, limit);
      const shown = page.flatMap((type): SeenType[] => {
        const row = seen.get(type);
        return row ? [row] : [];
      });
      const samples = await parts.views.samples(scope, shown);
      const types = page.map((type): CatalogEntry => {
        const row = seen.get(type);
        const sample = row && samples.get(row.last_event);
        return {
          type,
          source: isPlatform(type) ? 'platform' : declared.has(type) ? 'declared' : 'seen',
          ...(sample === undefined ? {} : { sample: sampleOf(sample) }),
          ...(row ? { last_seen: row.last_seen } : {}),
        };
      });
      return { types, more: all.length > limit };
    },
  };
}
