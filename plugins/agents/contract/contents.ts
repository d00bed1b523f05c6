import { extensionPoint } from '../../../kernel/contracts/index.ts';
import type { ClaimRef } from '../../runs/contract.ts';

/** A content by its digest. */
export interface NamedContent {
  /** `sha256:<hex>`. */
  digest: string;
  /** Bytes. */
  size: number;
}

/** The contents of files beside scripts, as an activity gets and brings them under its claim. */
export interface ActivityContents {
  /** One that the run has. Throws `include_not_stored` and `lease_lost`. */
  read(content: NamedContent): Promise<Buffer>;
  /** For runs that this one makes. Throws the refusals of the server. */
  bring(content: NamedContent, data: Buffer): Promise<void>;
}

/** The activity that reads and brings contents. */
export interface ContentWork {
  claim: ClaimRef;
  /** Aborts when the claim is lost, or the work is stopped. */
  signal: AbortSignal;
  /** The private folder of the agent, where contents may be kept for later passes. */
  runtime_dir: string;
}

/** Carries contents between the server and an agent. The plugin `files` contributes it. */
export interface ContentCarrier {
  contents(work: ContentWork): ActivityContents;
}

export const ContentCarriers = extensionPoint<ContentCarrier>('agents.ContentCarriers', { key: () => 'contents' });
