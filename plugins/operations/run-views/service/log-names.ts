import type { RunReader } from '../../../engine/runs/contract.ts';

type Labels = (name: string) => Promise<string | undefined>;

/** Names of the activities of one log. What an activity asked for writes under the name of that activity. */
export class LogNames {
  readonly #reader: Pick<RunReader, 'activityNames'>;
  readonly #names = new Map<string, string>();
  readonly #children = new Map<string, string>();
  readonly #readLabels: (() => Promise<Labels>) | undefined;
  #labels: Promise<Labels> | undefined;

  /** With `readLabels`, items are called what people know them by. */
  constructor(reader: Pick<RunReader, 'activityNames'>, readLabels?: () => Promise<Labels>) {
    this.#reader = reader;
    this.#readLabels = readLabels;
  }

  async find(activity_id: string): Promise<string> {
    const cached = this.#names.get(activity_id);
    if (cached !== undefined) return cached;
    const [activity] = await this.#reader.activityNames([activity_id]);
    const name = activity?.parent
      ? await this.find(activity.parent)
      : await this.#findLabel(activity?.name ?? activity_id);
    this.#names.set(activity_id, name);
    if (activity?.parent) this.#children.set(activity_id, activity.name);
    return name;
  }

  /** The name under which a script asked for the activity; undefined where none did. */
  async findChild(activity_id: string): Promise<string | undefined> {
    await this.find(activity_id);
    return this.#children.get(activity_id);
  }

  async #findLabel(name: string): Promise<string> {
    if (!this.#readLabels || !name.endsWith(']')) return name;
    this.#labels ??= this.#readLabels();
    const labels = await this.#labels;
    return (await labels(name)) ?? name;
  }
}
