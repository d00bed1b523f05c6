import type { ConnectorManifest } from '../../../../../cli/generated/api.ts';

export interface TestField {
  name: string;
  title: string;
  preset: string | undefined;
  required: boolean;
}

/** The fields of a connector that its test request reads. Those without a default that are part of its address are required. */
export function fieldsOfTest({ test, fields = [] }: Pick<ConnectorManifest, 'test' | 'fields'>): TestField[] {
  const reads = (text: string, name: string) => new RegExp(String.raw`\bwith\.${name}\b`).test(text);
  return fields
    .filter(({ name }) => reads(JSON.stringify(test?.request ?? ''), name))
    .map(({ name, title, default: preset }) => ({
      name,
      title: title ?? name,
      preset: preset === undefined ? undefined : String(preset),
      required: preset === undefined && reads(test!.request.url, name),
    }));
}
