export interface LockedPackage {
  version: string;
  integrity?: string;
  license?: string;
  dev?: boolean;
  optional?: boolean;
}

const ALGORITHMS: Readonly<Record<string, string>> = {
  sha512: 'SHA-512',
  sha384: 'SHA-384',
  sha256: 'SHA-256',
  sha1: 'SHA-1',
};

const purlOf = (name: string, version: string) => `pkg:npm/${name.replace('@', '%40')}@${version}`;

/** `sha512-<base64>` as CycloneDX writes it, in hexadecimal digits. */
function hashOf(integrity: string): { alg: string; content: string } {
  const [algorithm = '', digest = ''] = integrity.split('-');
  const alg = ALGORITHMS[algorithm];
  if (alg === undefined) throw new Error(`CycloneDX has no name for the algorithm of "${integrity}"`);
  return { alg, content: Buffer.from(digest, 'base64').toString('hex') };
}

/**
 * The packages that package-lock.json names and that are not only for development, as a bill of materials in the format
 * CycloneDX 1.5. `npm sbom --omit dev` leaves out those that a tool for development needs too.
 */
export function billOfMaterials(version: string, packages: Readonly<Record<string, LockedPackage>>): object {
  const components = Object.entries(packages)
    .filter(([path, { dev }]) => path !== '' && dev !== true)
    .map(([path, one]) => {
      const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
      return {
        type: 'library',
        'bom-ref': path,
        name,
        version: one.version,
        scope: one.optional === true ? 'optional' : 'required',
        purl: purlOf(name, one.version),
        ...(one.integrity === undefined ? {} : { hashes: [hashOf(one.integrity)] }),
        ...(one.license === undefined ? {} : { licenses: [{ expression: one.license }] }),
      };
    });
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: {
      component: { type: 'application', 'bom-ref': 'svc', name: 'svc', version, purl: purlOf('svc', version) },
    },
    components,
  };
}
