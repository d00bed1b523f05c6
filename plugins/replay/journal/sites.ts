import type { JournalRecord } from '../../runs/contract.ts';
import type { ReplayedPass, SiteCall } from '../contract.ts';
import type { Site } from './calls.ts';

/** Which site each call of a pass has. */
export class Sites {
  readonly #masker: ReplayedPass['host']['masker'];
  readonly #ordinals = new Map<string, number>();

  constructor(masker: ReplayedPass['host']['masker']) {
    this.#masker = masker;
  }

  /**
   * The name is masked, for it is stored as it is. What was recorded before its value became a secret, or by an older
   * version, has the name itself, and is still the same call.
   */
  at(position: number, call: SiteCall, recorded: JournalRecord | undefined): Site {
    const { kind, digest = '', label, public_name } = call;
    const old = recorded?.kind === kind && recorded.name === call.name;
    const name = old || public_name ? call.name : this.#masker.text(call.name);
    const ordinal = this.#ordinals.get(`${kind}\0${name}`) ?? 0;
    return { kind, name, digest, label, position, ordinal };
  }

  /** The position after a site that is settled. */
  after(site: Site): number {
    this.#ordinals.set(`${site.kind}\0${site.name}`, site.ordinal + 1);
    return site.position + 1;
  }
}
