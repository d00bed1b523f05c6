import type { MysqlServer, NoServer } from '../support/mysql-server.ts';
import { createDatabase, startMysql } from '../support/mysql-server.ts';
import { Place, type PlaceOptions } from './place.ts';

export interface BenchOptions {
  quick: boolean;
  /** Says what goes on. */
  say(line: string): void;
}

/** What figures share during one run of the bench: sizes, a MySQL server, and the places to be closed. */
export class Bench {
  readonly quick: boolean;
  readonly say: (line: string) => void;
  readonly #places = new Set<Place>();
  #mysql: Promise<MysqlServer | NoServer> | undefined;

  constructor({ quick, say }: BenchOptions) {
    this.quick = quick;
    this.say = say;
  }

  /** A size: the full one, or the one of `--quick`. */
  size(full: number, quick: number): number {
    return this.quick ? quick : full;
  }

  /** Servers and agents for the time of `work`. */
  async at<T>(options: PlaceOptions, work: (place: Place) => Promise<T>): Promise<T> {
    const place = await Place.open(options);
    this.#places.add(place);
    try {
      return await work(place);
    } finally {
      this.#places.delete(place);
      await place.close();
    }
  }

  /** A fresh MySQL database for the time of `work`; undefined, and said, when there is no server. */
  async withDatabase<T>(work: (url: string) => Promise<T>): Promise<T | undefined> {
    this.#mysql ??= startMysql();
    const server = await this.#mysql;
    if ('reason' in server) {
      this.say(`left out: ${server.reason}`);
      return undefined;
    }
    const database = await createDatabase(server.url);
    try {
      return await work(database.url);
    } finally {
      await database.drop();
    }
  }

  /** Also in the middle of a figure. */
  async close(): Promise<void> {
    await Promise.all([...this.#places].map((place) => place.close()));
    const server = await this.#mysql;
    if (server && 'stop' in server) await server.stop();
  }
}
