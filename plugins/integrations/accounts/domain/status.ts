/**
 * - `active`: ordinary
 * - `refreshing`: a renewal is open; the current token is still good
 * - `needs_reauth`: the grant is gone
 * - `in_doubt`: a renewal could not be confirmed, and presenting the token again might end the grant
 * - `disabled`: by hand, or because the granter left
 */
export type Status = 'active' | 'refreshing' | 'needs_reauth' | 'in_doubt' | 'disabled';

/** Only in these states may the account be used. */
export const isUsable = (status: Status): boolean => status === 'active' || status === 'refreshing';
