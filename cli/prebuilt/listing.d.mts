export interface Listing {
  digest: string;
  began: number;
  entry: string;
  inputs: string[];
  digests: string[];
  stats: number[];
}

/** Only local file systems are trusted. */
export const LOCAL_FILE_SYSTEMS: ReadonlySet<number>;

/** Lists the current inputs; undefined if a file was written since `began`. */
export function listingOf(options: {
  home: string;
  entry: string;
  inputs: readonly string[];
  began: number;
}): Listing | undefined;

/** Whether nothing has changed since the listing. */
export function compare(home: string, entry: string, listing: Listing): { same: boolean; renewed?: Listing };
