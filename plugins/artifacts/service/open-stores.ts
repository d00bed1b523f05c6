import type { Clock, Egress, Ids } from '../../../kernel/contracts/index.ts';
import { DiskStore } from '../stores/disk.ts';
import { S3Store } from '../stores/s3.ts';
import { PartStores, type StoreOpener } from './part-stores.ts';
import type { ArtifactPlace } from './settings.ts';

interface StoreParts {
  ids: Ids;
  clock: Clock;
  egress: () => Egress;
}

/** The bucket or the folder for new artifacts; with a bucket, the folder is still read. */
export function openStores({ folder, bucket }: ArtifactPlace, { ids, clock, egress }: StoreParts): PartStores {
  const disk: StoreOpener = { open: () => DiskStore.open(folder, ids), find: () => DiskStore.find(folder) };
  if (!bucket) return new PartStores(disk);
  const store = new S3Store({ place: bucket, egress: egress(), clock });
  return new PartStores({ open: async () => store, find: async () => store }, [disk]);
}
