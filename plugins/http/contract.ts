import { extensionPoint, token } from '../../kernel/contracts/index.ts';

/** The rate of deliveries to one address of this service: a hook or a forge webhook. */
export interface DeliveryRates {
  /** Counts a verified delivery, so that forged ones cannot use up the sender's rate. Throws `rate_limited`. */
  take(address_id: string): void;
}

export const DeliveryRates = token<DeliveryRates>('http.DeliveryRates');

/** A file of a page. */
export interface PageFile {
  body: Buffer;
  type: string;
  /** The same, compressed. */
  brotli?: Buffer;
  /** What this path serves never changes: browsers keep it without asking again. */
  immutable?: boolean;
}

/** Static pages, served with an ETag and headers that isolate them from other sites. They take no query. */
export interface HttpPage {
  /** Exact (`/`), or ending with `/*`. */
  path: string;
  /** `path` is decoded. Undefined: there is no such page. */
  serve(path: string): Promise<PageFile | undefined>;
}

export const HttpPages = extensionPoint<HttpPage>('http.HttpPages', { key: (page) => page.path });
