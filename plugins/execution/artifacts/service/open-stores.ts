import type { Clock, Egress, Ids } from '../../../../kernel/contracts/index.ts';
import { DiskStore } from '../stores/disk.ts';
import { S3Store } from '../stores/s3.ts';
import { PartStores, type StoreOpener } from './part-stores.ts';
import type { ArtifactLocation } from './settings.ts';

interface StoreDeps {
  ids: Ids;
  clock: Clock;
  egress: () => Egress;
}

/** Opens the bucket or the folder for new artifacts. With a bucket, the folder can still be read. */
export function openStores({ folder, bucket }: ArtifactLocation, { ids, clock, egress }: StoreDeps): PartStores {
  const disk: StoreOpener = { open: () => DiskStore.open(folder, ids), find: () => DiskStore.find(folder) };
  if (!bucket) return new PartStores(disk);
  const store = new S3Store({ location: bucket, egress: egress(), clock });
  return new PartStores({ open: async () => store, find: async () => store }, [disk]);
}
