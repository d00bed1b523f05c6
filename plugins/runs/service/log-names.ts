import type { Reader } from '../store/parts.ts';
import { readActivityPlaces } from '../store/run-lists.ts';

type Labels = (name: string) => string | undefined;

/** Names of the activities of one log; what an activity asked for writes under the name of that activity. */
export class LogNames {
  readonly #on: Reader;
  readonly #names = new Map<string, string>();
  readonly #children = new Map<string, string>();
  readonly #readLabels: (() => Promise<Labels>) | undefined;
  #labels: Promise<Labels> | undefined;

  /** With `labels`, items are called what people know them by. */
  constructor(on: Reader, labels?: () => Promise<Labels>) {
    this.#on = on;
    this.#readLabels = labels;
  }

  async of(activity_id: string): Promise<string> {
    const known = this.#names.get(activity_id);
    if (known !== undefined) return known;
    const [place] = await readActivityPlaces(this.#on, [activity_id]);
    const name = place?.parent ? await this.of(place.parent) : await this.#labelled(place?.name ?? activity_id);
    this.#names.set(activity_id, name);
    if (place?.parent) this.#children.set(activity_id, place.name);
    return name;
  }

  async #labelled(name: string): Promise<string> {
    if (!this.#readLabels || !name.endsWith(']')) return name;
    this.#labels ??= this.#readLabels();
    return (await this.#labels)(name) ?? name;
  }

  /** The name under which a script asked for the activity; undefined where none did. */
  async ofChild(activity_id: string): Promise<string | undefined> {
    await this.of(activity_id);
    return this.#children.get(activity_id);
  }
}
