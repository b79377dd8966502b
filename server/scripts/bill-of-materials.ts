// Writes the licenses of the packages in the bundle, and a bill of materials for scanners.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface LockedPackage {
  version?: string;
  license?: string;
  integrity?: string;
}

const REPOSITORY = join(import.meta.dirname, '../..');
const DIRECTORY = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;
/** A heading in `licenses.md`. The dashboard's build writes the same headings. */
const HEADING = /^## (\S+) - (\S+) \(.+\)$/gm;

const LICENSE_FILE = /(^|\/)(licen[cs]e|notice|copyright)[^/.]*(\.(md|txt))?$/i;
/** Comments that minifiers keep, such as licenses. The bundle has no comments, so `licenses.md` contains them. */
const NOTICE = /\/\*!.*?\*\//gs;

/** Writes `licenses.md` with the packages of these modules: most licenses require their texts to be distributed. */
export function writeLicenses(directory: string, modules: readonly string[]): void {
  const placed = Map.groupBy(modules, (file) => DIRECTORY.exec(file)?.[0] ?? '');
  placed.delete('');
  const texts = Array.from(placed, ([place, files]) => {
    const { name, version, license, author } = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'));
    const all = globSync('**/*', { cwd: place, exclude: ['**/node_modules/**'] });
    const licenses = all.filter((file) => LICENSE_FILE.test(file)).sort();
    const texts = licenses.map((file) => readFileSync(join(place, file), 'utf8').trim());
    // Some packages only name their license.
    if (texts.length === 0)
      texts.push(`Copyright (c) ${author?.name ?? author}, https://spdx.org/licenses/${license}.html`);
    const notices = files.flatMap((file) => readFileSync(file, 'utf8').match(NOTICE) ?? []);
    return `## ${name} - ${version} (${license})\n\n${[...texts, ...new Set(notices)].join('\n\n')}\n`;
  });
  const title = '# Licenses\n\nThe service contains packages with the following licenses:\n';
  writeFileSync(join(directory, 'licenses.md'), [title, ...texts.sort()].join('\n'));
}

/** Writes a bill of materials (CycloneDX 1.6) with all packages in the `licenses.md` files in a directory and below. */
export function writeBill(directory: string): void {
  const { packages: locked } = JSON.parse(readFileSync(join(REPOSITORY, 'package-lock.json'), 'utf8'));
  const pages = globSync('**/licenses.md', { cwd: directory }).map((file) =>
    readFileSync(join(directory, file), 'utf8'),
  );
  const listed = Array.from(pages.join('\n').matchAll(HEADING), ([, name = '', version = '']) => `${name}@${version}`);
  const { name, version } = locked.server;
  const bill = {
    ...{ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1 },
    metadata: { component: { type: 'application', name, version } },
    components: [...new Set(listed)].sort().map((each) => describe(locked, each)),
  };
  writeFileSync(join(directory, 'sbom.cdx.json'), `${JSON.stringify(bill, null, 2)}\n`);
}

function describe(locked: Record<string, LockedPackage>, given: string) {
  const [, name = '', version = ''] = /^(.+)@(.+)$/.exec(given) ?? [];
  const isIt = ([place, its]: [string, LockedPackage]) => nameOf(place) === name && its.version === version;
  const { license, integrity = '' } = Object.entries(locked).find(isIt)?.[1] ?? {};
  const [, digest] = /^sha512-(.+)$/.exec(integrity) ?? [];
  if (license === undefined || digest === undefined)
    throw new Error(`package-lock.json has no ${given} with a digest.`);
  return {
    type: 'library',
    'bom-ref': given,
    ...{ name, version, purl: `pkg:npm/${given.replace(/^@/, '%40')}` },
    licenses: [license.includes(' ') ? { expression: license } : { license: { id: license } }],
    hashes: [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }],
  };
}

function nameOf(place: string): string | undefined {
  return place.split('node_modules/').at(-1);
}
