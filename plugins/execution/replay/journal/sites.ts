import type { JournalRecord } from '../../../engine/runs/contract.ts';
import type { ReplayedPass, SiteCall } from '../contract.ts';
import type { Site } from './calls.ts';

/** Assigns a site to each call of a pass. */
export class Sites {
  readonly #masker: ReplayedPass['host']['masker'];
  readonly #ordinals = new Map<string, number>();

  constructor(masker: ReplayedPass['host']['masker']) {
    this.#masker = masker;
  }

  /**
   * Returns the site of a call. Its name is masked, because it is stored in plaintext. A call that was recorded
   * before its value became a secret, or by an older version, keeps its original name and is still the same call.
   */
  assign(position: number, call: SiteCall, recorded: JournalRecord | undefined): Site {
    const { kind, digest = '', label, public_name } = call;
    const has_plain_name = recorded?.kind === kind && recorded.name === call.name;
    const name = has_plain_name || public_name ? call.name : this.#masker.text(call.name);
    const ordinal = this.#ordinals.get(`${kind}\0${name}`) ?? 0;
    return { kind, name, digest, label, position, ordinal };
  }

  /** Returns the position after a completed site. */
  advance(site: Site): number {
    this.#ordinals.set(`${site.kind}\0${site.name}`, site.ordinal + 1);
    return site.position + 1;
  }
}
