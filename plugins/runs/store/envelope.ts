import type { Queries } from '../../../kernel/contracts/index.ts';
import type { Claimed } from '../contract.ts';
import { envelopeGone } from '../errors.ts';
import type { StoreParts } from './parts.ts';
import { openEnvelope } from './sealing.ts';

/**
 * Some runs only refer to their input, because an event's content is stored once. In a transaction, `on` is that
 * transaction. Opens the sealed part. The org's keys must be ready.
 */
export async function wholeEnvelope(
  store: Pick<StoreParts, 'envelope_sources' | 'sealer'>,
  { envelope: stored, ...run }: Pick<Claimed, 'envelope' | 'run_id' | 'org_id' | 'project_id'>,
  on?: Pick<Queries, 'read'>,
): Promise<Claimed['envelope']> {
  const { org_id, project_id } = run;
  const envelope = openEnvelope(store.sealer, run, stored);
  const { $ref: reference, ...own } = envelope;
  if (typeof reference !== 'string') return envelope;
  const scheme = reference.slice(0, reference.indexOf(':'));
  const source = store.envelope_sources.find((one) => one.scheme === scheme);
  if (!source) throw envelopeGone(`no plugin keeps what ${reference} refers to`);
  return { ...own, ...(await source.read({ org_id, project_id }, reference.slice(scheme.length + 1), on)) };
}
