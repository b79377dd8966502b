import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { writeBill, writeLicenses } from '../../../server/scripts/bill-of-materials.ts';
import { bundleService } from '../../../server/scripts/bundle.ts';
import { findPublishedWorkspaces, type Manifest, readManifest } from '../../../testkit/src/packages.ts';
import { bareEnvironment, REPOSITORY } from '../../../testkit/src/process.ts';
import { findRuntimePlaces, type LockFile, nameOf } from '../lock-file.ts';
import type { Outcome, Part, Trial } from '../part.ts';
import { plantedFaults } from './supply-chain/planted-faults.ts';

const run = promisify(execFile);
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;
/** The permissive licenses that packages may have. */
const LICENSES = ['MIT', 'MIT-0', 'ISC', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'BlueOak-1.0.0'];
const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall'];

export const supplyChain: Part = {
  name: 'supply-chain',
  title: 'Supply chain',
  promise:
    'Installed packages are exactly the tested ones: locked, permissively licensed, and without install scripts.',
  plantedFaults,
  run: runSupplyChain,
};

async function runSupplyChain(trial: Trial): Promise<Outcome> {
  const lock: LockFile = JSON.parse(await readFile(join(REPOSITORY, 'package-lock.json'), 'utf8')).packages;
  plantedFaults.find((each) => each === trial.plantedFault)?.spoil(lock);
  assertLocked(lock);
  const figures: [string, string][] = [];
  const all = new Set<string>();
  for (const workspace of await findPublishedWorkspaces()) {
    const manifest = await readManifest(join(REPOSITORY, workspace));
    const scripts = INSTALL_SCRIPTS.filter((name) => name in Object(manifest.scripts));
    assert.deepEqual(scripts, [], `${manifest.name} has an install script`);
    assert.deepEqual(lock[workspace]?.dependencies ?? {}, manifest.dependencies ?? {}, 'the lock file is stale');
    const places = findRuntimePlaces(lock, workspace);
    assertGood(lock, manifest, places);
    await assertInBill(trial, lock, manifest, places);
    for (const place of places) all.add(place);
    figures.push([`installed with ${manifest.name}`, `${places.length} packages`]);
  }
  const bundled = await findBundled(trial.directory, lock);
  assertGood(lock, await readManifest(REPOSITORY), bundled);
  for (const place of bundled) all.add(place);
  figures.push(['bundled with the service', `${bundled.length} packages`]);
  const outside = [...all].filter((place) => place.includes('node_modules'));
  const licenses = Map.groupBy(outside, (place) => lock[place]?.license);
  for (const [license, places] of licenses) {
    figures.push([`at run time, ${license}`, places.map((place) => describe(lock, place)).join(', ')]);
  }
  figures.push(['in the dashboard', (await findInDashboard()).join(', ')]);
  const skipped = trial.size === 'full' ? await audit() : [];
  return {
    tried: 'a comparison of the lock file, the manifests, the bundle, and the bills of materials',
    figure: `${outside.length} third-party packages at run time, ${[...licenses.keys()].join(', ')}; 0 install scripts`,
    figures,
    skipped,
  };
}

/** @throws AssertionError unless every package is locked with a digest and is downloaded over HTTPS */
function assertLocked(lock: LockFile): void {
  const packages = Object.entries(lock).filter(([place, { link }]) => place.includes('node_modules/') && !link);
  const loose = packages.filter(([, { integrity }]) => !integrity?.startsWith('sha512-')).map(([place]) => place);
  assert.deepEqual(loose, [], `without a digest: ${loose}`);
  const foreign = packages.filter(([, { resolved }]) => resolved !== undefined && !resolved.startsWith('https://'));
  assert.deepEqual(foreign, [], 'packages are not downloaded over HTTPS');
}

function assertGood(lock: LockFile, { name, dependencies = {} }: Manifest, places: readonly string[]): void {
  const names = places.map(nameOf);
  const isWorkspace = (each: string) => lock[`node_modules/${each}`]?.link === true;
  const missing = Object.keys(dependencies).filter((each) => !names.includes(each) && !isWorkspace(each));
  assert.deepEqual(missing, [], `${name} needs packages that are not in the lock file: ${missing}`);
  const scripted = places.filter((place) => lock[place]?.hasInstallScript);
  assert.deepEqual(scripted, [], `${name} has dependencies with install scripts: ${scripted}`);
  const others = places.filter((place) => !LICENSES.includes(lock[place]?.license ?? ''));
  const told = others.map((place) => `${nameOf(place)} (${lock[place]?.license})`);
  assert.deepEqual(others, [], `${name} has dependencies with other licenses: ${told}`);
}

/** Asserts that npm's bill of materials for this package has the same packages as the lock file. */
async function assertInBill(trial: Trial, lock: LockFile, manifest: Manifest, places: readonly string[]) {
  const directory = join(trial.directory, manifest.name);
  await mkdir(directory, { recursive: true });
  const { devDependencies: _, scripts: __, ...installed } = manifest;
  const write = (file: string, content: object) => writeFile(join(directory, file), JSON.stringify(content));
  await write('package.json', installed);
  const packages: LockFile = {};
  for (const place of places) packages[await findInstalledPlace(place)] = lock[place] ?? {};
  await write('package-lock.json', { lockfileVersion: 3, packages: { '': installed, ...packages } });
  const bill = JSON.parse(await npm(['sbom', '--package-lock-only', '--sbom-format=cyclonedx'], directory));
  const listed: string[] = bill.components.map((each: Record<string, string>) => `${each.name}@${each.version}`);
  const expected = Object.entries(packages).map(([place, { version }]) => `${nameOf(place)}@${version}`);
  const words = `the bill of materials of ${manifest.name} differs from the lock file`;
  assert.deepEqual(listed.sort(), expected.sort(), words);
}

/** The path in a user's installation, where the top-level `node_modules` replaces the workspace's. */
async function findInstalledPlace(place: string): Promise<string> {
  const index = place.indexOf('node_modules/');
  return index >= 0 ? place.slice(index) : `node_modules/${(await readManifest(join(REPOSITORY, place))).name}`;
}

/** Bundles the service. @returns the paths of the packages in the bill of materials */
async function findBundled(directory: string, lock: LockFile): Promise<string[]> {
  const bundle = join(directory, 'bundle');
  const modules = await bundleService(bundle);
  writeLicenses(bundle, [...modules, fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json'))]);
  writeBill(bundle);
  const { components } = JSON.parse(await readFile(join(bundle, 'sbom.cdx.json'), 'utf8'));
  const bundled = new Set(components.map((each: Record<string, string>) => `${each.name} ${each.version}`));
  return Object.keys(lock).filter((place) => bundled.has(describe(lock, place)));
}

async function findInDashboard(): Promise<string[]> {
  const page = await readFile(join(REPOSITORY, 'dashboard/dist/licenses.md'), 'utf8');
  return Array.from(page.matchAll(/^## (.+) - (.+) \((.+)\)$/gm), ([, name, version, license = '']) => {
    for (const each of license.split(' AND '))
      assert.ok(LICENSES.includes(each), `the dashboard contains ${name} with another license: ${each}`);
    return `${name} ${version} (${license})`;
  });
}

/** Asserts that npm reports no critical vulnerability. @returns the reason if npm cannot check this */
async function audit(): Promise<string[]> {
  const told = await npm(['audit', '--omit=dev', '--json'], REPOSITORY);
  const { metadata } = JSON.parse(told);
  if (metadata === undefined) return ['known advisories, because `npm audit` could not reach the registry.'];
  assert.equal(metadata.vulnerabilities.critical, 0, 'npm audit reports a critical vulnerability');
  return [];
}

async function npm(args: string[], cwd: string): Promise<string> {
  const options = { cwd, env: bareEnvironment({}), maxBuffer: OUTPUT_BYTES_MAX };
  const { stdout } = await run('npm', args, options).catch((error: { stdout: string }) => error);
  return stdout;
}

function describe(lock: LockFile, place: string): string {
  return `${nameOf(place)} ${lock[place]?.version}`;
}
