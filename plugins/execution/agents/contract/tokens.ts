import type { ClaimRef } from '../../../engine/runs/contract.ts';

/** What a program asks of an ID token. */
export interface TokenRequest {
  /** Who accepts the token. */
  audience: string;
  /** Undefined: as long as the server decides. */
  lifetime_ms?: number | undefined;
}

export interface IssuedToken {
  token: string;
  /** The parts of it that nobody may see, besides the whole. */
  masks: readonly string[];
  /** After so many milliseconds nobody accepts it any more. */
  masked_ms: number;
}

/** Issues ID tokens to an activity under its claim. Throws `lease_lost` and the server's rejections. */
export interface ActivityTokens {
  issue(request: TokenRequest): Promise<IssuedToken>;
}

/** The activity that gets tokens. */
export interface TokenWork {
  claim: ClaimRef;
  /** Aborts when the claim is lost or the work is stopped. */
  signal: AbortSignal;
}

/** Gets tokens from the server for the activities of an agent. The plugin `id-tokens` contributes it. */
export interface TokenSource {
  tokens(work: TokenWork): ActivityTokens;
}
