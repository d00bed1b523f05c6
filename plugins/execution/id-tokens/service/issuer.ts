import { type Database, Errors, formatDuration, type Ids } from '../../../../kernel/contracts/index.ts';
import type { Audit, AuditSource } from '../../../platform/audit/contract.ts';
import type { Scopes } from '../../../security/access/contract.ts';
import type { RunMasks } from '../../../security/masking/contract.ts';
import {
  type ActivityScope,
  type ClaimRef,
  leaseLost,
  type RunEngine,
  runFinished,
  type RunGuard,
  type RunOrigins,
  TERMINAL,
} from '../../../engine/runs/contract.ts';
import type { IssuedToken, TokenRequest } from '../../agents/contract.ts';
import type { RepositorySource } from '../../scripts/contract.ts';
import { findAudienceProblem } from '../domain/audience.ts';
import { claimsOf, type TokenSubject } from '../domain/claims.ts';
import { type PublicKey, signToken } from '../domain/jwt.ts';
import {
  DEFAULT_LIFETIME_MS,
  HOUR_MS,
  MASKED_AFTER_EXPIRY_MS,
  MAX_LIFETIME_MS,
  MAX_TOKENS_PER_HOUR,
  MIN_LIFETIME_MS,
} from '../domain/limits.ts';
import { idTokenLimit, idTokensOff, idTokenUntrusted } from '../errors.ts';
import { countToken } from '../store/issued.ts';
import type { SigningKeys } from './signing-keys.ts';

export interface IssuerDeps {
  /** `iss` of every token; undefined when tokens are off. */
  issuer: string | undefined;
  keys: SigningKeys;
  database: Database;
  ids: Ids;
  guard: RunGuard;
  runs: Pick<RunEngine, 'read'>;
  origins: RunOrigins;
  repositories: () => readonly RepositorySource[];
  scopes: Pick<Scopes, 'names'>;
  masks: Pick<RunMasks, 'rememberUntil'>;
  audit: Audit;
  onIssued: () => void;
}

/** Who asks for a token: an activity under its claim, and the limits of its agent's token. */
export interface Claimant {
  claim: ClaimRef;
  org_id?: string | undefined;
  project_id?: string | null | undefined;
  by: AuditSource;
}

/** Issues tokens to trusted runs. Stores no token: only that one was issued, to whom, and its `jti`. */
export class Issuer {
  readonly #deps: IssuerDeps;

  constructor(deps: IssuerDeps) {
    this.#deps = deps;
  }

  /** Throws `id_tokens_off`. */
  get url(): string {
    const { issuer } = this.#deps;
    if (issuer === undefined) throw idTokensOff('SVC_ID_TOKENS is off on this server');
    return issuer;
  }

  published(): Promise<PublicKey[]> {
    void this.url;
    return this.#deps.keys.published();
  }

  /**
   * Throws `id_tokens_off`, `invalid_request`, `lease_lost`, `run_finished`, `id_token_untrusted` and `id_token_limit`.
   */
  async issue(claimant: Claimant, request: TokenRequest): Promise<IssuedToken> {
    const { url: issuer } = this;
    const { database, guard, ids, keys, masks, onIssued } = this.#deps;
    const { audience, lifetime_ms } = checkRequest(request);
    const run = await guard.runOf(claimant.claim.activity_id, claimant.org_id);
    const { project_id = null, claim } = claimant;
    if (project_id !== null && project_id !== run.project_id)
      throw leaseLost(`there is no activity ${claim.activity_id} in the project of this agent`);
    const subject = await this.#subjectOf(run);
    const key = await keys.current();
    const jti = ids.next('idt');
    await this.#admit(run, claimant, { audience, jti });
    const issued_at = database.now();
    const expires_at = issued_at + lifetime_ms;
    const claims = claimsOf(subject, { issuer, audience, jti, issued_at, expires_at });
    const { token, signature } = await signToken(key, claims);
    const masked_ms = lifetime_ms + MASKED_AFTER_EXPIRY_MS;
    // Without its signature a token proves nothing, so a part of it that a program prints is harmless without that.
    await masks.rememberUntil(run, [token, signature], issued_at + masked_ms);
    onIssued();
    return { token, masks: [signature], masked_ms };
  }

  /** Checks the run and its claim, counts the token and records that it was issued, in one transaction. */
  async #admit(run: ActivityScope, { claim, by }: Claimant, token: { audience: string; jti: string }): Promise<void> {
    const { database, guard, audit } = this.#deps;
    const { org_id, project_id, run_id } = run;
    await database.transaction(async (tx) => {
      const { trusted, status } = await guard.holdClaim(tx, run, claim);
      if (TERMINAL.includes(status)) throw runFinished(`the run ${run_id} is ${status}`);
      if (!trusted) throw idTokenUntrusted(`the run ${run_id} is not trusted`);
      const now = database.now();
      const { issued, hour_began_at } = await countToken(tx, run_id, now);
      if (issued > MAX_TOKENS_PER_HOUR)
        throw idTokenLimit(`the run ${run_id} was issued ${MAX_TOKENS_PER_HOUR} ID tokens within an hour`, {
          retryAfterMs: Math.max(1, hour_began_at + HOUR_MS - now),
        });
      const detail = `${token.jti} for ${token.audience}`;
      await audit.record(tx, { ...by, org_id, project_id, action: 'id_token.issue', subject: run_id, detail });
    });
  }

  async #subjectOf(run: ActivityScope): Promise<TokenSubject> {
    const { scopes, runs } = this.#deps;
    const { org_id, project_id, run_id } = run;
    const names = await scopes.names(org_id, project_id);
    const { workflow, kind, trigger } = await runs.read(run, run_id);
    return {
      ...names,
      org_id,
      project_id,
      run_id,
      workflow,
      kind,
      trigger: trigger.type,
      ...(await this.#commitOf(run)),
    };
  }

  /** Only a signed delivery of a forge sets these: neither an emitted event nor an input can. */
  async #commitOf({
    org_id,
    project_id,
    run_id,
  }: ActivityScope): Promise<Pick<TokenSubject, 'repository' | 'sha' | 'ref'>> {
    const { database, origins, repositories } = this.#deps;
    const event = await origins.eventOf(database, project_id, run_id);
    if (event === undefined) return {};
    for (const source of repositories()) {
      const start = { org_id, project_id, event, trusted: true };
      const found = await source.find(database, start, { requested: true });
      if (found) return { repository: found.url, sha: found.sha, ref: found.pushed_ref };
    }
    return {};
  }
}

function checkRequest({ audience, lifetime_ms = DEFAULT_LIFETIME_MS }: TokenRequest): Required<TokenRequest> & {
  lifetime_ms: number;
} {
  const problem = findAudienceProblem(audience);
  if (problem !== undefined) throw invalid('audience', problem);
  if (lifetime_ms < MIN_LIFETIME_MS || lifetime_ms > MAX_LIFETIME_MS)
    throw invalid('lifetime', `must be ${formatDuration(MIN_LIFETIME_MS)} to ${formatDuration(MAX_LIFETIME_MS)}`);
  return { audience, lifetime_ms };
}

const invalid = (member: 'audience' | 'lifetime', message: string) => {
  const pointer = member === 'lifetime' ? '/lifetime_ms' : '/audience';
  return Errors.invalidRequest(`the ${member} ${message}`, { errors: [{ pointer, message }] });
};
