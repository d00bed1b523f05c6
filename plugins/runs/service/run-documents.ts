import type { RunMasks } from '../../masking/contract.ts';
import type { RunDocument } from '../generated/run-document.ts';
import type { RunInput } from '../generated/run-input.ts';
import { readDocument } from '../store/documents.ts';
import { wholeEnvelope } from '../store/envelope.ts';
import { readEnvelope } from '../store/history.ts';
import type { Reader, StoreParts } from '../store/parts.ts';
import { runId } from './run-views.ts';

interface Scope {
  org_id: string;
  project_id: string;
}

export interface DocumentParts extends Pick<StoreParts, 'envelope_sources' | 'sealer'> {
  on: Reader;
  masks: Pick<RunMasks, 'of'>;
}

/** What runs carry out and what they were given, for whoever looks at one. */
export class RunDocuments {
  readonly #parts: DocumentParts;

  constructor(parts: DocumentParts) {
    this.#parts = parts;
  }

  /** Throws `not_found`. */
  async document({ org_id, project_id }: Scope, id: string): Promise<RunDocument> {
    const run_id = runId(id);
    const { kind, workflow, filename, pin, source, files } = await readDocument(
      this.#parts.on,
      this.#parts.sealer,
      { org_id, project_id },
      run_id,
    );
    const masker = await this.#parts.masks.of({ org_id, project_id, run_id });
    const shown = (await masker.whole(Buffer.from(source))).toString();
    const named = { run_id, kind, workflow, filename: filename ?? undefined, stored: pin, source: shown };
    if (files.length === 0) return named;
    return { ...named, files: files.map((file) => ({ ...file, path: masker.text(file.path) })) };
  }

  /** Throws `not_found` and `envelope_gone`. */
  async input({ org_id, project_id }: Scope, id: string): Promise<RunInput> {
    const run_id = runId(id);
    const envelope = await readEnvelope(this.#parts.on, this.#parts.sealer, { org_id, project_id }, run_id);
    const whole = await wholeEnvelope(this.#parts, { envelope, org_id, project_id, run_id });
    const masker = await this.#parts.masks.of({ org_id, project_id, run_id });
    return { run_id, envelope: masker.json(whole) as RunInput['envelope'] };
  }
}
