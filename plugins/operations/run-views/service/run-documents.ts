import { checkRunId, type RunReader } from '../../../engine/runs/contract.ts';
import type { RunMasks } from '../../../security/masking/contract.ts';
import type { RunDocument } from '../generated/run-document.ts';
import type { RunInput } from '../generated/run-input.ts';

interface Scope {
  org_id: string;
  project_id: string;
}

/** The documents that runs carry out, and the input of runs. */
export class RunDocuments {
  readonly #reader: Pick<RunReader, 'document' | 'input'>;
  readonly #masks: Pick<RunMasks, 'of'>;

  constructor(reader: Pick<RunReader, 'document' | 'input'>, masks: Pick<RunMasks, 'of'>) {
    this.#reader = reader;
    this.#masks = masks;
  }

  /** Throws `not_found`. */
  async document({ org_id, project_id }: Scope, id: string): Promise<RunDocument> {
    const run = { org_id, project_id, run_id: checkRunId(id) };
    const { kind, workflow, filename, pin, source, files } = await this.#reader.document(run);
    const masker = await this.#masks.of(run);
    const masked = (await masker.maskLarge(Buffer.from(source))).toString();
    const document = {
      run_id: run.run_id,
      kind,
      workflow,
      filename: filename ?? undefined,
      stored: pin,
      source: masked,
    };
    if (files.length === 0) return document;
    return { ...document, files: files.map((file) => ({ ...file, path: masker.text(file.path) })) };
  }

  /** Throws `not_found` and `envelope_gone`. */
  async input({ org_id, project_id }: Scope, id: string): Promise<RunInput> {
    const run = { org_id, project_id, run_id: checkRunId(id) };
    const envelope = await this.#reader.input(run);
    const masker = await this.#masks.of(run);
    return { run_id: run.run_id, envelope: masker.json(envelope) as RunInput['envelope'] };
  }
}
